package tutti.runtime.schedule;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.advanced.CollSubComm;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;

/** Stress tests of executions that await each other's posts, polled and not polled. */
public class AwaitStress {

    /** Nobody polls: the posting thread continues the other rank's execution. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "each rank has the data of the other")
    @Outcome(expect = FORBIDDEN, desc = "an execution did not end, or read without the data")
    @State
    public static class Watched {
        private final Exchange[] ranks = Exchange.pair();

        @Actor
        public void first() {
            ranks[0].start(1);
        }

        @Actor
        public void second() {
            ranks[1].start(2);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = ranks[0].result();
            r.r2 = ranks[1].result();
        }
    }

    /** One thread polls for a moment and then stops. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "each rank has the data of the other")
    @Outcome(expect = FORBIDDEN, desc = "an execution did not end, or read without the data")
    @State
    public static class PolledAndWatched {
        private final Exchange[] ranks = Exchange.pair();

        @Actor
        public void first() {
            ranks[0].startAndPoll(1);
        }

        @Actor
        public void second() {
            ranks[1].start(2);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = ranks[0].result();
            r.r2 = ranks[1].result();
        }
    }

    /** Both threads poll for a moment and then stop. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "each rank has the data of the other")
    @Outcome(expect = FORBIDDEN, desc = "an execution did not end, or read without the data")
    @State
    public static class Polled {
        private final Exchange[] ranks = Exchange.pair();

        @Actor
        public void first() {
            ranks[0].startAndPoll(1);
        }

        @Actor
        public void second() {
            ranks[1].startAndPoll(2);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = ranks[0].result();
            r.r2 = ranks[1].result();
        }
    }

    /** One rank of two that read each other's send buffer. */
    private static final class Exchange implements ScheduleExecution.CompletionListener {
        private static final Schedule[] SCHEDULES = {schedule(0), schedule(1)};

        private final int[] mine = new int[1];
        private final int[] other = new int[1];
        private final ScheduleExecution execution;

        private Exchange(final LocalChannel channel) {
            execution = new ScheduleExecution(SCHEDULES[channel.rank()], channel, new SlotAllocator(), new RankLifecycle());
        }

        static Exchange[] pair() {
            final LocalChannel[] channels = LocalChannel.connected(2);
            return new Exchange[] {new Exchange(channels[0]), new Exchange(channels[1])};
        }

        private static Schedule schedule(final int rank) {
            final PlanBuilder plan = new PlanBuilder(new Call.Allreduce(Op.SUM.bind(Datatype.INT), 1, false), rank, 2, false, 2, new OneNode());
            plan.post();
            final Task read = plan.get(1 - rank, Buffer.SEND.at(0, 4), Buffer.RECV.at(0, 4), plan.await(1 - rank, 0));
            plan.post(read);
            plan.await(1 - rank, 1);
            return plan.freeze();
        }

        void start(final int value) {
            mine[0] = value;
            execution.start(MemorySegment.ofArray(mine), MemorySegment.ofArray(other), 1, this);
        }

        void startAndPoll(final int value) {
            mine[0] = value;
            final AwaitPoller poller = execution.newPoller(null);
            execution.start(MemorySegment.ofArray(mine), MemorySegment.ofArray(other), 1, null);
            poller.poll();
            poller.poll();
            poller.stop();
        }

        /** Returns what was read; -1 if the execution is not complete, -2 if it failed. */
        int result() {
            return !execution.isDone() ? -1 : execution.isReusable() ? other[0] : -2;
        }

        @Override
        public MpiFailure finished(final ScheduleExecution ended, final MpiFailure failure) {
            return failure;
        }

        @Override
        public void afterCompletion(final ScheduleExecution ended, final MpiFailure failure) {
            // not started again
        }
    }

    /** Context of ranks that share memory. */
    private static final class OneNode implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return NONE.channel(group);
        }

        @Override
        public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            return NONE.plan(group, operation, call, plan);
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return true;
        }
    }
}
