package tutti.runtime.request;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

/**
 * A pending operation: a message, a collective or a function of the program.
 *
 * <p>A request makes progress without the thread that started it: the thread that performs its last step completes it. One thread at a time may
 * wait for a request; any number of threads may test whether it is done.
 *
 * <p><b>Threads.</b> The thread that completes a request writes the result, sets {@code done}, and then reads the waiter and the action; other
 * threads write these and then read {@code done}. All three are volatile. So who finds the request done sees its result, and no waiter or action is
 * missed. Completing never waits.
 */
public abstract class Request {
    final RankLifecycle lifecycle;
    volatile @Nullable Waiter waiter;
    private volatile boolean done;
    private volatile @Nullable CompletionAction action;
    private @Nullable MpiFailure failure;

    /** Creates a request that is pending, for the rank with that lifecycle. */
    protected Request(final RankLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** Prepares the request for another use. No other thread may wait for it or complete it in the meantime. */
    protected final void reset() {
        failure = null;
        if (action != null) {
            action = null;
        }
        done = false;
    }

    /**
     * Completes the request, wakes the waiting thread, and notifies the completion action. Called once per use, by the thread that performed the
     * last step. A thread that finds the request done sees everything that this thread wrote before.
     *
     * @param failed null, or the failure
     */
    protected final void finish(final @Nullable MpiFailure failed) {
        failure = failed;
        done = true;
        final Waiter w = waiter;
        if (w != null) {
            w.wake();
        }
        final CompletionAction n = action;
        if (n != null) {
            n.runIfDone();
        }
    }

    /**
     * Runs a task once the request is complete, on the thread of the rank that runs such tasks only. At most one task per use of the request,
     * and no thread should wait for the request.
     */
    public final void whenDone(final Runnable task) {
        final CompletionAction n = new CompletionAction(this, task);
        action = n;
        n.runIfDone();
    }

    /** Returns whether the request is complete, successfully or not. Has no side effects. */
    public final boolean isDone() {
        return done;
    }

    /** Returns the status of the completed request. */
    public abstract Status status();

    /**
     * Tries to cancel the request. Messages that have not been matched are cancelled where that is cheap; all other requests continue. The
     * caller must still wait for the request.
     */
    public void cancel() {
        // most requests cannot be cancelled, and the standard lets them complete
    }

    /** Returns what the pending operation waits for: for another thread than the one that waits. */
    public abstract Pending pendingOperation();

    /** Frees the request: no thread will wait for it. A pending operation continues to its end. Most requests hold no resources. */
    public void free() {
        // nothing to release
    }

    /** Polls for progress; called repeatedly by the thread that waits for this request. Most requests make progress without it. */
    protected void poll() {
        // the thread that delivers or receives a message does the work
    }

    /**
     * Polls for progress on a thread that shares its core with other ranks, and yields between the calls. An operation with little left to do
     * is better continued by the threads that it waits for, which run by then.
     */
    protected void pollShared() {
        poll();
    }

    /** Notifies the request that the waiting thread is about to park and will not poll any more. */
    protected void parking() {
        // as above
    }

    /**
     * Returns whether the request is complete.
     *
     * @throws MpiFailure when it failed
     */
    public boolean test() {
        if (!done) {
            checkLifecycle();
            lifecycle.network().poll();
            if (!done) {
                return false;
            }
        }
        raise();
        return true;
    }

    /**
     * Waits until the request is complete, and returns its status.
     *
     * @throws MpiFailure when it failed
     */
    public Status waitFor() {
        await();
        return status();
    }

    /** Waits like {@link #waitFor}, without a status. */
    public void await() {
        if (!done) {
            lifecycle.beginWait();
            try {
                Waiter.current().await(this);
            } finally {
                lifecycle.endWait();
            }
        }
        raise();
    }

    /**
     * Waits until the request is complete or the time is over. Does not raise failures.
     *
     * @return whether the request is complete
     */
    public final boolean awaitDone(final Duration limit) {
        if (!done) {
            lifecycle.beginWait();
            try {
                // an end of 0 would be none
                return Waiter.current().await(this, (System.nanoTime() + limit.toNanos()) | 1);
            } finally {
                lifecycle.endWait();
            }
        }
        return true;
    }

    /**
     * Throws when the rank has been ended. When its own part of the pending operation has failed, this throws that failure, which the rank would
     * raise if the operation were completed: other ranks may know of it already, and one of them may be the reason why the rank is ended.
     */
    final void checkLifecycle() {
        try {
            lifecycle.check();
        } catch (final JobEndedError e) {
            final MpiFailure own = ownFailure();
            if (own != null) {
                throw own;
            }
            throw e;
        }
    }

    /** Returns why the pending operation has failed on this rank, before other ranks know; null if it has not. */
    protected @Nullable MpiFailure ownFailure() {
        return null;
    }

    /**
     * Returns whether the request has failed with class PROC_FAILED_PENDING: its operation is not over, and goes on with {@link #reopen}. For a
     * request that is done.
     */
    public final boolean isSuspended() {
        final MpiFailure f = failure;
        return f != null && f.errorClass() == ErrorClass.PROC_FAILED_PENDING;
    }

    /** Goes on with the operation of a request that is {@link #isSuspended suspended}. */
    public void reopen() {
        throw new IllegalStateException("request is not suspended");
    }

    final boolean isFailed() {
        return failure != null;
    }

    private void raise() {
        final MpiFailure f = failure;
        if (f != null) {
            throw f.again();
        }
    }

    /**
     * Waits until one of the requests is complete, and returns its index. Skips nulls, and returns -1 when all are null. Does not raise
     * failures.
     */
    public static int waitAny(final @Nullable Request[] requests) {
        for (final Request r : requests) {
            if (r != null) {
                r.lifecycle.beginWait();
                try {
                    return Waiter.current().awaitAny(requests, r.lifecycle);
                } finally {
                    r.lifecycle.endWait();
                }
            }
        }
        return -1;
    }

    /**
     * What a pending operation waits for. Ranks are those of its communicator.
     *
     * @param kind    kind of the operation
     * @param context its context
     * @param peer    the other rank of a message, or {@link PendingWait#ANY}
     * @param tag     the tag of a message, or {@link PendingWait#ANY}; of a collective that was prepared, the number of earlier starts
     * @param number  the number of an operation of all ranks among those of its kind on the communicator
     * @param ranks   the ranks that take part in an operation; empty for all
     */
    public record Pending(PendingWait.Kind kind, long context, int peer, int tag, long number, List<Integer> ranks) {
        /** Returns the wait for a message. */
        public static Pending message(final PendingWait.Kind kind, final long context, final int peer, final long tag) {
            return new Pending(kind, context, peer, (int) tag, -1, List.of());
        }

        /** Returns the wait for an operation of all ranks of a communicator. */
        public static Pending ofAll(final PendingWait.Kind kind, final long context, final long number) {
            return new Pending(kind, context, PendingWait.ANY, PendingWait.ANY, number, List.of());
        }

        /** Returns a wait for something that belongs to no communicator. */
        public static Pending of(final PendingWait.Kind kind) {
            return ofAll(kind, -1, -1);
        }
    }
}
