package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/**
 * The epochs of numbered steps of this rank: of the calls on a communicator, or the starts of a persistent collective. The ranks agree on the step
 * with which the next epoch begins, and go on meanwhile:
 *
 * <pre>{@code
 * every rank: limit = propose(window)         steps that it has begun, and the window in which it goes on without an answer
 *             first = maximum of all limits    agreed by a helper thread; a step from the rank's own limit on waits for it
 *             decide(first)                    the next epoch serves steps from first on
 * }</pre>
 *
 * <p>No rank begins a step at or after {@code first} before it knows it, since {@code first} is no lower than its own limit. So every step has the
 * same epoch on all ranks.
 *
 * <p><b>Threads.</b> A step reads the current stage and its end without a lock and without a volatile access. That is enough: a thread counts its
 * step by an atomic read-modify-write and reads the end afterwards; {@link #propose} lowers the end and then reads the counter by another one. Of
 * the two, the later sees the earlier: either the rank's limit counts the step, or the step sees the lowered end and comes to {@link #find}. The
 * lock of this object guards all other state.
 *
 * @param <E> type of the epochs, which are told apart by identity
 */
final class EpochSequence<E> {
    private static final long NEVER = Long.MAX_VALUE;

    /** The stage of the latest step that was looked up; another thread may see an earlier one. */
    private Stage<E> current;
    /** All stages whose steps may still begin, in order. */
    private final List<Stage<E>> stages = new ArrayList<>();
    /** The step from which on this rank waits for a decision. */
    private long limit = NEVER;
    /** Completed by the decision that is awaited; null while none is. */
    private @Nullable CompletableFuture<Void> decision;
    /** Completed when a number of steps has begun; null while nobody waits for that. */
    private @Nullable CompletableFuture<Void> reached;
    private long awaited = NEVER;

    /** Steps with the same epoch. */
    private static final class Stage<E> {
        private final long first;
        private final E epoch;
        /** The step from which on the stage must be looked up. */
        private long end = NEVER;

        Stage(final long first, final E epoch) {
            this.first = first;
            this.epoch = epoch;
        }
    }

    /** Waits on a thread of the rank until a stage is complete; throws when the rank ends. */
    @FunctionalInterface
    interface Waiting {
        /** Waits. */
        void await(CompletionStage<?> until);
    }

    /** Creates the sequence of steps that begin in an epoch. */
    EpochSequence(final E epoch) {
        current = new Stage<>(0, epoch);
        stages.add(current);
    }

    /**
     * Returns the epoch of a step that the calling thread has counted; waits where the ranks have yet to agree on it.
     *
     * @throws MpiFailure when the agreement has failed
     */
    E at(final long step, final Waiting waiting) {
        final Stage<E> stage = current;
        return step >= stage.first && step < stage.end ? stage.epoch : find(step, waiting);
    }

    private E find(final long step, final Waiting waiting) {
        while (true) {
            final CompletableFuture<Void> answer;
            synchronized (this) {
                look(step);
                final CompletableFuture<Void> pending = decision;
                if (pending == null || step < limit) {
                    return lookUp(step);
                }
                answer = pending;
            }
            waiting.await(answer);
            if (answer.isCompletedExceptionally() && answer.exceptionNow() instanceof final MpiFailure failure) {
                throw failure;
            }
        }
    }

    private E lookUp(final long step) {
        int i = stages.size() - 1;
        while (i > 0 && stages.get(i).first > step) {
            i--;
        }
        final Stage<E> found = stages.get(i);
        if (found.first >= current.first) {
            current = found;
        }
        return found.epoch;
    }

    /** Notes that a step has begun for which somebody may wait. */
    private void look(final long step) {
        final CompletableFuture<Void> waiting = reached;
        if (waiting != null && step + 1 >= awaited) {
            reached = null;
            setEnds();
            waiting.complete(null);
        }
    }

    /** Sets up to which step each stage need not be looked up. */
    private void setEnds() {
        for (int i = 0; i < stages.size(); i++) {
            final long end = i + 1 < stages.size() ? stages.get(i + 1).first : decision != null ? Long.MIN_VALUE : NEVER;
            stages.get(i).end = reached == null ? end : Math.min(end, awaited - 1);
        }
    }

    /** Returns the epoch of the steps that begin last. */
    synchronized E last() {
        return stages.getLast().epoch;
    }

    /** Returns the step with which the last epoch begins. */
    synchronized long firstOfLast() {
        return stages.getLast().first;
    }

    /**
     * Proposes a step for the next epoch to begin with, and makes steps from it on wait for the decision.
     *
     * @param begun  returns the number of steps that have begun, by an atomic read-modify-write of what counts them
     * @param window number of further steps that need not wait
     */
    synchronized long propose(final LongSupplier begun, final long window) {
        decision = new CompletableFuture<>();
        setEnds();
        limit = Math.max(begun.getAsLong() + window, stages.getLast().first);
        return limit;
    }

    /** Begins the next epoch at the step that all ranks have agreed on. */
    synchronized void decide(final long first, final E epoch) {
        stages.add(new Stage<>(first, epoch));
        answered();
    }

    /** Ends a proposal: the last epoch goes on, on all ranks. */
    synchronized void stay() {
        answered();
    }

    private void answered() {
        final CompletableFuture<Void> pending = decision;
        decision = null;
        limit = NEVER;
        setEnds();
        if (pending != null) {
            pending.complete(null);
        }
    }

    /** Makes steps that wait for a decision fail, and those that would wait for it. */
    synchronized void fail(final MpiFailure failure) {
        if (decision != null) {
            decision.completeExceptionally(failure);
        }
    }

    /** Returns a stage that completes when a number of steps has begun; {@code begun} as for {@link #propose}. */
    synchronized CompletionStage<Void> reached(final long steps, final LongSupplier begun) {
        final CompletableFuture<Void> when = new CompletableFuture<>();
        reached = when;
        awaited = steps;
        setEnds();
        if (begun.getAsLong() >= steps) {
            look(steps);
        }
        return when;
    }

    /** Forgets an epoch whose steps have all begun. */
    synchronized void forget(final E epoch) {
        for (int i = 0; i < stages.size() - 1; i++) {
            final Stage<E> stage = stages.get(i);
            if (stage.epoch == epoch) {
                stages.remove(i);
                if (current == stage) {
                    current = stages.get(i);
                }
                return;
            }
        }
    }

    /** Returns the state, for diagnosis. */
    @Override
    public synchronized String toString() {
        final StringBuilder text = new StringBuilder();
        for (final Stage<E> stage : stages) {
            text.append(stage == current ? '*' : ' ').append(stage.first).append('<').append(stage.end).append(' ').append(stage.epoch);
        }
        return text.append(decision == null ? "" : " limit " + limit).append(reached == null ? "" : " awaited " + awaited).toString();
    }
}
