package tutti.runtime.request;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

/**
 * A request that the program completes: the generalized request of MPI-2. It is pending from the start.
 *
 * <p>The first wait after {@link #complete} calls the query function and then the free function, also if the query function fails, and raises what
 * they throw; later calls raise the same. A free calls the free function only: at once if the request is complete, else from {@code complete}.
 *
 * <p><b>Threads.</b> Safe for any thread, of which any may complete the request. The lock of this object guards the state and is held while the query
 * and the free function run, so that they run one at a time. No lock is held in the cancel function.
 */
public final class UserCompletedRequest extends Request {
    /** The functions of the program for such a request. Any thread of the rank may call them. */
    @ConsumerType
    public interface Functions {
        /** Returns the status of the complete operation; may be called several times. */
        Status query() throws Exception;

        /** Frees the resources of the operation. Called once. */
        void free() throws Exception;

        /**
         * Cancels the operation, which need not succeed: the request must still be completed.
         *
         * @param isComplete whether the request is complete
         */
        void cancel(boolean isComplete) throws Exception;
    }

    private enum State { PENDING, FREED_WHILE_PENDING, COMPLETE, CONCLUDED }

    private final Functions functions;
    private State state = State.PENDING;
    private Status status = Status.EMPTY;
    private @Nullable MpiFailure failure;

    /** Creates a pending request, for the rank with that lifecycle. */
    public UserCompletedRequest(final RankLifecycle lifecycle, final Functions functions) {
        super(lifecycle);
        this.functions = functions;
    }

    /** Completes the request; once. May be called from every thread, at every thread level. */
    public void complete() {
        synchronized (this) {
            if (state != State.PENDING && state != State.FREED_WHILE_PENDING) {
                // Cause: `complete` of a generalized request was called twice.
                throw new MpiFailure(ErrorClass.REQUEST, "request is complete already: complete it once");
            }
            if (state == State.FREED_WHILE_PENDING) {
                state = State.CONCLUDED;
                callFree();
            } else {
                state = State.COMPLETE;
            }
        }
        finish(null);
        raiseFailure();
    }

    @Override
    public void await() {
        super.await();
        synchronized (this) {
            if (state == State.COMPLETE) {
                state = State.CONCLUDED;
                try {
                    status = functions.query();
                } catch (final Throwable e) {
                    failure = functionFailed("query", e);
                }
                callFree();
            }
        }
        raiseFailure();
    }

    @Override
    public Pending pendingOperation() {
        return Pending.of(PendingWait.Kind.GENERALIZED);
    }

    @Override
    public synchronized Status status() {
        if (state != State.COMPLETE) {
            raiseFailure();
            return status;
        }
        try {
            return functions.query();
        } catch (final Throwable e) {
            throw functionFailed("query", e);
        }
    }

    @Override
    public void free() {
        synchronized (this) {
            if (state == State.COMPLETE) {
                state = State.CONCLUDED;
                callFree();
            } else if (state == State.PENDING) {
                state = State.FREED_WHILE_PENDING;
            }
        }
        raiseFailure();
    }

    @Override
    public void cancel() {
        try {
            functions.cancel(isDone());
        } catch (final Throwable e) {
            throw functionFailed("cancel", e);
        }
    }

    private void callFree() {
        try {
            functions.free();
        } catch (final Throwable e) {
            final MpiFailure own = functionFailed("free", e);
            if (failure == null) {
                failure = own;
            } else {
                failure.addSuppressed(own);
            }
        }
    }

    private synchronized void raiseFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    private MpiFailure functionFailed(final String function, final Throwable cause) {
        if (cause instanceof JobEndedError ended) {
            throw ended;
        }
        return cause instanceof MpiFailure f ? f
            : new MpiFailure(ErrorClass.OTHER, "generalized request: its " + function + " function failed: " + cause, cause);
    }
}
