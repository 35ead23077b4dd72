package tutti.runtime.collective;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Stress tests of {@link EpochSequence}: threads of the program count steps and look up their epochs, without a volatile read, while a helper thread
 * proposes the first step of the next epoch and learns the maximum of the proposals of all ranks.
 */
public class EpochStress {
    private static final int LAST = 1;
    private static final int NEXT = 2;
    private static final int STEPS = 4;

    /** The steps of one rank. */
    private abstract static class Rank {
        private final AtomicLong calls = new AtomicLong();
        private final EpochSequence<Integer> sequence = new EpochSequence<>(LAST);
        private final int[] epochs = new int[STEPS];
        private long first = Long.MAX_VALUE;

        private static void await(final CompletionStage<?> until) {
            until.toCompletableFuture().join();
        }

        /** Counts a step and looks up its epoch. */
        final void call() {
            final long step = calls.getAndIncrement();
            epochs[(int) step] = sequence.at(step, Rank::await);
        }

        /** Begins the next epoch, where the highest proposal of the other ranks is this one. */
        final void change(final long others, final int window) {
            first = Math.max(sequence.propose(() -> calls.getAndAdd(0), window), others);
            sequence.decide(first, NEXT);
        }

        /** Begins the next epoch at a step that was read before the proposal. */
        final void changeWrongly() {
            final long begun = calls.get();
            first = sequence.propose(() -> begun, 0);
            sequence.decide(first, NEXT);
        }

        final CompletableFuture<Void> reached(final int steps) {
            return sequence.reached(steps, () -> calls.getAndAdd(0)).toCompletableFuture();
        }

        final void forgetLast() {
            sequence.forget(LAST);
        }

        /** Returns 0 if all steps have the right epoch, else 1 and the number of the first that has not. */
        final int wrong() {
            for (int step = 0; step < calls.get(); step++) {
                if (epochs[step] != (step < first ? LAST : NEXT)) {
                    return 1 + step;
                }
            }
            return 0;
        }

        final int first() {
            return (int) first;
        }
    }

    /** A thread calls twice while the epoch changes; this rank's proposal decides. */
    @JCStressTest
    @Outcome(id = {"0, 0", "1, 0", "2, 0"}, expect = ACCEPTABLE, desc = "steps before the first of the next epoch have the last one")
    @Outcome(expect = FORBIDDEN, desc = "a step has the wrong epoch")
    @State
    public static class OwnProposal extends Rank {
        @Actor
        public void calls() {
            call();
            call();
        }

        @Actor
        public void changes() {
            change(0, 0);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = first();
            r.r2 = wrong();
        }
    }

    /** A thread calls three times; another rank has proposed its second step. */
    @JCStressTest
    @Outcome(id = {"1, 0", "2, 0", "3, 0"}, expect = ACCEPTABLE, desc = "steps before the first of the next epoch have the last one")
    @Outcome(expect = FORBIDDEN, desc = "a step has the wrong epoch")
    @State
    public static class ProposalOfAnother extends Rank {
        @Actor
        public void calls() {
            call();
            call();
            call();
        }

        @Actor
        public void changes() {
            change(1, 0);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = first();
            r.r2 = wrong();
        }
    }

    /** A thread calls three times, with a window of one step. */
    @JCStressTest
    @Outcome(id = {"1, 0", "2, 0", "3, 0", "4, 0"}, expect = ACCEPTABLE, desc = "steps before the first of the next epoch have the last one")
    @Outcome(expect = FORBIDDEN, desc = "a step has the wrong epoch")
    @State
    public static class ProposalWithAWindow extends Rank {
        @Actor
        public void calls() {
            call();
            call();
            call();
        }

        @Actor
        public void changes() {
            change(0, 1);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = first();
            r.r2 = wrong();
        }
    }

    /** Two threads call while the epoch changes. */
    @JCStressTest
    @Outcome(id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"}, expect = ACCEPTABLE, desc = "steps before the first of the next epoch have the last one")
    @Outcome(expect = FORBIDDEN, desc = "a step has the wrong epoch")
    @State
    public static class TwoThreads extends Rank {
        @Actor
        public void calls() {
            call();
            call();
        }

        @Actor
        public void callsToo() {
            call();
            call();
        }

        @Actor
        public void changes() {
            change(0, 0);
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = first();
            r.r2 = wrong();
        }
    }

    /** The helper asks when two steps have begun, and forgets the last epoch then. */
    @JCStressTest
    @Outcome(id = {"1, 0, 1", "2, 0, 1"}, expect = ACCEPTABLE, desc = "the helper is told, and each step has the right epoch")
    @Outcome(expect = FORBIDDEN, desc = "a step has the wrong epoch, or the helper was not told")
    @State
    public static class Reached extends Rank {
        private CompletableFuture<Void> told = new CompletableFuture<>();
        private final AtomicInteger done = new AtomicInteger();

        @Actor
        public void calls() {
            call();
            done.incrementAndGet();
            call();
            done.incrementAndGet();
        }

        @Actor
        public void changes() {
            change(1, 0);
            told = reached(2);
            if (told.isDone() && done.get() == 2) {
                forgetLast();
            }
        }

        @Arbiter
        public void end(final III_Result r) {
            r.r1 = first();
            r.r2 = wrong();
            r.r3 = told.isDone() ? 1 : 0;
        }
    }

    /** A helper that reads the number of steps before it makes them wait: shows that these tests can find a wrong epoch. */
    @JCStressTest
    @Outcome(id = {"0, 0", "1, 0", "2, 0"}, expect = ACCEPTABLE, desc = "steps before the first of the next epoch have the last one")
    @Outcome(id = {"0, 1", "0, 2", "1, 2"}, expect = ACCEPTABLE_INTERESTING, desc = "a step began between the two")
    @Outcome(expect = FORBIDDEN, desc = "cannot be")
    @State
    public static class ReadTooEarly extends Rank {
        @Actor
        public void calls() {
            call();
            call();
        }

        @Actor
        public void changes() {
            changeWrongly();
        }

        @Arbiter
        public void end(final II_Result r) {
            r.r1 = first();
            r.r2 = wrong();
        }
    }
}
