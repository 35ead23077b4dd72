package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.schedule.SlotAllocator;
import tutti.runtime.schedule.TraceRecorder;
import tutti.runtime.schedule.TracedExecution;
import tutti.runtime.select.CheckLevel;
import tutti.runtime.select.Decision;
import tutti.runtime.select.Selection;

/** Runs the collectives of one communicator: finds the algorithm that was selected, its schedule, and a run of it. */
final class CollectiveEngine implements ScheduleCache.Planner, PlanContext {
    private static final Logger LOG = LoggerFactory.getLogger(CollectiveEngine.class);

    private final Communicator comm;
    private final RankLifecycle life;
    private final PendingOperations usage = new PendingOperations();
    private final ScheduleCache cache = new ScheduleCache(this, usage);
    private final AtomicLong calls = new AtomicLong();
    private final SlotAllocator turns = new SlotAllocator();
    private final AtomicInteger checks = new AtomicInteger();
    private final Request nothing;
    /** For plans of other ranks, whose sub-communicators are not known here. */
    private final PlanContext unnested = new Unnested();

    private final class Unnested implements PlanContext {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            return NONE.channel(group);
        }

        @Override
        public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            NONE.plan(group, operation, call, plan);
        }

        @Override
        public boolean areNear(final int one, final int other) {
            return CollectiveEngine.this.areNear(one, other);
        }
    }

    CollectiveEngine(final Communicator comm) {
        this.comm = comm;
        this.life = comm.owner().life();
        this.nothing = new CompletedRequest(life, Status.EMPTY);
    }

    /** Runs a call and waits for it. Returns a request that is complete. */
    <C extends Call> Request run(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        if (isChecked()) {
            agreement(operation, call).start(null).await();
        }
        if (isNothing(operation, call)) {
            return nothing;
        }
        final ScheduleExecution run = cache.take(operation, call);
        run.start(load(send), load(recv), calls.getAndIncrement(), null);
        try {
            run.await();
        } catch (final MpiFailure e) {
            cache.give(run);
            throw e;
        }
        if (recv != null) {
            recv.store();
        }
        cache.give(run);
        return nothing;
    }

    /** Starts a call. */
    <C extends Call> Request start(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        final CallConsistency first = isChecked() ? agreement(operation, call) : null;
        if (isNothing(operation, call)) {
            return first == null ? nothing : first.start(null);
        }
        final ScheduleExecution run = cache.take(operation, call);
        final CollectiveRequest request = new CollectiveRequest(life, run, recv, cache);
        final long number = calls.getAndIncrement();
        start(first, run, load(send), load(recv), number, number, request);
        return request;
    }

    /** Makes a call ready to be started. */
    <C extends Call> PersistentRequest prepare(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        final ScheduleExecution run = isNothing(operation, call) ? null : cache.take(operation, call);
        // the numbers that all its starts have: messages of one do not overtake those of another
        final int number = run == null ? 0 : (int) calls.getAndIncrement();
        if (run != null) {
            run.join(comm.vicinity().board().series(number));
        }
        return new PersistentCollective(life, this, run, send, recv, number, isChecked() ? checks.getAndIncrement() : 0);
    }

    /** Starts what was made ready, with the numbers that it got then, for the {@code round}th time. */
    void start(final ScheduleExecution run, final MessageBuffer send, final MessageBuffer recv, final int number, final long round, final int check,
        final ScheduleExecution.CompletionListener atEnd) {
        start(isChecked() ? new CallConsistency(comm, check, run.call(), run.reduced()) : null, run, reload(send), reload(recv), number, round,
            atEnd);
    }

    /** Starts a run, after all ranks agreed where that is wanted. */
    private void start(final CallConsistency first, final ScheduleExecution run, final MemorySegment send, final MemorySegment recv,
        final long number,
                       final long round, final ScheduleExecution.CompletionListener atEnd) {
        if (first == null) {
            run.start(send, recv, number, round, atEnd);
        } else {
            first.start(failure -> {
                if (failure == null) {
                    run.start(send, recv, number, round, atEnd);
                } else {
                    atEnd.afterwards(run, failure);
                }
            });
        }
    }

    private boolean isChecked() {
        return comm.owner().checking() == CheckLevel.FULL && comm.service().depth() == 0;
    }

    private CallConsistency agreement(final Operation<?> operation, final Call call) {
        return new CallConsistency(comm, checks.getAndIncrement(), CallSignature.of(operation, call, comm.isInter()),
            CallSignature.reductionOf(call));
    }

    /** Takes back what was made ready. */
    void give(final ScheduleExecution run) {
        run.leave();
        cache.give(run);
    }

    private static MemorySegment reload(final MessageBuffer side) {
        if (side == null) {
            return null;
        }
        side.reload();
        return side.memory();
    }

    private static MemorySegment load(final MessageBuffer side) {
        if (side == null) {
            return null;
        }
        side.load();
        return side.memory();
    }

    private <C extends Call> boolean isNothing(final Operation<C> operation, final C call) {
        if (comm.isInter()) {
            // some ranks do not know whether there is data, and all must count the call
            return false;
        }
        if (call instanceof Call.Barrier) {
            return comm.size() == 1;
        }
        return isEmpty(decision(operation, comm), call, comm.rank());
    }

    private static <C extends Call> boolean isEmpty(final Decision<C> decision, final C call, final int rank) {
        return decision.skipEmpty() && call.sendBytes(rank) == 0 && call.recvBytes(rank) == 0;
    }

    private static <C extends Call> Decision<C> decision(final Operation<C> operation, final Communicator on) {
        final Selection selection = on.service().selection();
        if (selection == null) {
            throw unserved(operation, on);
        }
        return selection.of(operation);
    }

    private static <C extends Call> Selection.SelectedAlgorithm<C> chosen(final Operation<C> operation, final C call, final Communicator on) {
        final Selection.SelectedAlgorithm<C> chosen = decision(operation, on).of(call);
        if (chosen == null) {
            throw unserved(operation, on);
        }
        return chosen;
    }

    private static MpiFailure unserved(final Operation<?> operation, final Communicator on) {
        return new MpiFailure(ErrorClass.OTHER, "no module serves " + operation + " on " + on
            + ": install one, or check that basic is active on node " + on.owner().nodeName());
    }

    @Override
    public <C extends Call> Schedule plan(final Operation<C> operation, final C call) {
        final Selection.SelectedAlgorithm<C> chosen = chosen(operation, call, comm);
        final AlgorithmTable.Entry<C> entry = chosen.entry();
        final PlanBuilder plan = new PlanBuilder(call, comm.rank(), comm.size(), comm.isInter(), comm.remoteSize(), this);
        try {
            entry.algorithm().plan(call, plan);
        } catch (final RuntimeException | LinkageError | StackOverflowError e) {
            throw failure("cannot plan " + operation, chosen, e.toString(), e);
        }
        final CheckLevel checking = comm.owner().checking();
        if (checking != CheckLevel.OFF) {
            plan.stamp(CallSignature.of(operation, call, comm.isInter()), CallSignature.reductionOf(call));
        }
        if (checking != CheckLevel.OFF && !plan.isNested() && !comm.isInter()) {
            final String flaw = PlanConsistency.flaw(operation, call, plan, (theirs, peer) -> planFor(peer, entry.algorithm(), theirs));
            if (flaw != null) {
                throw failure("plans of " + operation + " do not fit together", chosen, flaw, null);
            }
        }
        plan.label(new TracedCall(operation.id(), chosen.module().toString(), entry.name(), comm.name(),
            Math.max(call.sendBytes(comm.rank(), comm.isInter()), call.recvBytes(comm.rank(), comm.isInter()))));
        return plan.freeze();
    }

    private MpiFailure failure(final String what, final Selection.SelectedAlgorithm<?> chosen, final String why, final Throwable cause) {
        return new MpiFailure(ErrorClass.OTHER, what + " on " + comm + ", node " + comm.owner().nodeName() + ": " + chosen + ": " + why, cause);
    }

    /** The plan of another rank; null when the algorithm cannot make it, which that rank will find out by itself. */
    private <C extends Call> PlanBuilder planFor(final int peer, final Algorithm<C> algorithm, final C call) {
        final PlanBuilder plan = new PlanBuilder(call, peer, comm.size(), false, comm.size(), unnested);
        try {
            algorithm.plan(call, plan);
            return plan;
        } catch (final RuntimeException | LinkageError | StackOverflowError e) {
            LOG.debug("cannot plan for rank {} on {}: {}", peer, comm, e.toString());
            return null;
        }
    }

    @Override
    public ScheduleExecution make(final Schedule schedule) {
        final TraceRecorder recorder = comm.owner().recorder();
        return recorder == null ? new ScheduleExecution(schedule, comm.channel(), turns, life)
            : new TracedExecution(schedule, comm.channel(), turns, life, recorder);
    }

    @Override
    public CollectiveChannel channel(final CollSubComm group) {
        return own(group).comm().channel();
    }

    @Override
    public PlanContext within(final CollSubComm group) {
        return own(group).comm().engine();
    }

    @Override
    public boolean areNear(final int one, final int other) {
        final JobEnvironment job = comm.owner().job();
        return job.nodeOf(comm.group().worldRank(one)) == job.nodeOf(comm.group().worldRank(other));
    }

    @Override
    public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
        final Communicator sub = own(group).comm();
        if (!isEmpty(decision(operation, sub), call, group.rank())) {
            chosen(operation, call, sub).entry().algorithm().plan(call, plan);
        }
    }

    private SubCommunicator own(final CollSubComm group) {
        if (group instanceof SubCommunicator sub && comm.service().owns(sub)) {
            return sub;
        }
        throw new IllegalArgumentException("not a sub-communicator of " + comm.name() + ": group=" + group);
    }

    /** What is under way on the communicator, which ends when nothing is. */
    PendingOperations usage() {
        return usage;
    }

    /** What this rank would do in a call; so many of the tasks at most. */
    <C extends Call> RankPlan read(final Operation<C> operation, final C call, final SampleCall sample, final int limit) {
        final Selection.SelectedAlgorithm<C> chosen = chosen(operation, call, comm);
        final Schedule schedule = isNothing(operation, call) ? null : cache.schedule(operation, call);
        return new RankPlan(operation.id(), chosen.module().toString(), chosen.entry().name(), comm.size(), sample.bytes(), sample.block(),
            sample.data(), call instanceof Call.Rooted r ? r.root() : -1, comm.rank(), schedule == null ? 0 : schedule.scratchBytes(),
            schedule == null ? 0 : schedule.tasks(), schedule == null ? List.of() : schedule.describe(comm.channel(), limit));
    }

    /** What the cache of schedules did and holds. */
    CacheStatistics figures() {
        return cache.figures();
    }
}
