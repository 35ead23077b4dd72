package tutti.runtime.serial;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import tutti.runtime.model.MpiFailure;

/**
 * Stress tests of {@link SerialExecutor}. Its items use plain fields: an item that does not see the writes of the item before it, or that runs at
 * the same time, leaves a wrong trace. When all submitters have returned, every item must have run.
 */
public class SerialExecutorStress {

    /** Two threads submit two items each. */
    @JCStressTest
    @Outcome(id = {"1234", "1324", "1342", "3124", "3142", "3412"}, expect = ACCEPTABLE, desc = "every item ran once, those of a thread in order")
    @Outcome(expect = FORBIDDEN, desc = "an item was lost, ran at the same time as another, or overtook one of its thread")
    @State
    public static class Order {
        private final Recorder executor = new Recorder();

        @Actor
        public void first() {
            executor.submit(new Recorder.Item(1));
            executor.submit(new Recorder.Item(2));
        }

        @Actor
        public void second() {
            executor.submit(new Recorder.Item(3));
            executor.submit(new Recorder.Item(4));
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = executor.trace;
        }
    }

    /** One thread submits while another tries to run an item at once. */
    @JCStressTest
    @Outcome(id = {"true, 12", "true, 21"}, expect = ACCEPTABLE, desc = "both items ran")
    @Outcome(id = "false, 2", expect = ACCEPTABLE, desc = "the submitter was the owner, so only its item ran")
    @Outcome(expect = FORBIDDEN, desc = "an item was lost, or ran although it was refused")
    @State
    public static class TryRun {
        private final Recorder executor = new Recorder();

        @Actor
        public void tries(final ZI_Result r) {
            r.r1 = executor.tryRun(new Recorder.Item(1));
        }

        @Actor
        public void submits() {
            executor.submit(new Recorder.Item(2));
        }

        @Arbiter
        public void end(final ZI_Result r) {
            r.r2 = executor.trace;
        }
    }

    /** Each item reads what its submitter wrote before, whichever thread runs it; each submitter's write is plain. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each item saw what its submitter had written")
    @Outcome(expect = FORBIDDEN, desc = "an item was lost, or did not see what its submitter had written")
    @State
    public static class Publication {
        private final Recorder executor = new Recorder();
        private int first;
        private int second;
        private int firstSeen;
        private int secondSeen;

        @Actor
        public void first() {
            first = 1;
            executor.submit(new Recorder.Item(1) {
                @Override
                protected void run(final SerialExecutor at) {
                    firstSeen = first;
                }
            });
        }

        @Actor
        public void second() {
            second = 1;
            executor.submit(new Recorder.Item(2) {
                @Override
                protected void run(final SerialExecutor at) {
                    secondSeen = second;
                }
            });
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = firstSeen;
            r.r2 = secondSeen;
        }
    }

    /** Items of two executors submit items to each other's executor. */
    @JCStressTest
    @Outcome(id = {"14, 32", "41, 32", "14, 23", "41, 23"}, expect = ACCEPTABLE, desc = "every item ran once")
    @Outcome(expect = FORBIDDEN, desc = "an item was lost, or ran at the same time as another")
    @State
    public static class Crossing {
        private final Recorder one = new Recorder();
        private final Recorder other = new Recorder();

        private static WorkItem forwarding(final int number, final Recorder to, final int forwarded) {
            return new Recorder.Item(number) {
                @Override
                protected void run(final SerialExecutor at) {
                    super.run(at);
                    to.submit(new Recorder.Item(forwarded));
                }
            };
        }

        @Actor
        public void first() {
            one.submit(forwarding(1, other, 2));
        }

        @Actor
        public void second() {
            other.submit(forwarding(3, one, 4));
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = one.trace;
            r.r2 = other.trace;
        }
    }

    /** The items of one thread fail: ownership must be released, and what the other thread left in the inbox must run. */
    @JCStressTest
    @Outcome(id = {"12", "21"}, expect = ACCEPTABLE, desc = "the failure was handled and the other item ran")
    @Outcome(expect = FORBIDDEN, desc = "an item or a failure was lost")
    @State
    public static class Failure {
        private final Recorder executor = new Recorder();

        @Actor
        public void fails() {
            executor.submit(new Recorder.Item(1) {
                @Override
                protected void run(final SerialExecutor at) {
                    throw new IllegalStateException("run");
                }

                @Override
                protected void onFailure(final MpiFailure why) {
                    super.run(executor);
                }
            });
        }

        @Actor
        public void succeeds() {
            executor.submit(new Recorder.Item(2));
        }

        @Arbiter
        public void end(final I_Result r) {
            r.r1 = executor.trace;
        }
    }
}
