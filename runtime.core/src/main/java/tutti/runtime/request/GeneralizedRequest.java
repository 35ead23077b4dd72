package tutti.runtime.request;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.ProgressThreads;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

/**
 * A request whose operation is implemented by functions of the program.
 *
 * <p>{@link #start} starts the operation. From then on the rank's {@link ProgressThreads} call the push function until it returns true, and the
 * request is complete. A wait for this request pushes up to 100 times as well, then it leaves the pushing to them. A test, or a wait for any of
 * several requests, has it pushed soon and does not push itself, since the function may block. No two threads push at the same time.
 *
 * <p>The first call that asks for the status calls the complete function; its result is kept until the next start. When a function fails the
 * operation is cancelled, and the failure is raised by start or by the call that waits. {@link #cancel} of a request that is not complete calls
 * the cancel function and completes the request, even when the operation could not be cancelled.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock {@code pushing} is held by the thread that is in the push or the cancel function: a thread that
 * wants to push does not wait for it, one that cancels does. The write of {@code active} publishes a start. The lock of this object makes the
 * complete function run once, while others that ask for the status wait.
 */
public final class GeneralizedRequest extends PersistentRequest {
    private static final int PUSHES_PER_WAIT = 100;

    private final GrequestFunctions functions;
    private final ProgressThreads.Polled polled = new Push();
    /** Held by the thread that is in the push or cancel function. */
    private final ReentrantLock pushing = new ReentrantLock();
    private volatile boolean active;
    private volatile boolean cancelled;
    private boolean completeCalled;
    private @Nullable Status status;
    private @Nullable MpiFailure completeFailure;

    /** The operation as the progress threads poll it. */
    private final class Push implements ProgressThreads.Polled {
        @Override
        public void poll() {
            progress();
        }

        @Override
        public boolean isDone() {
            return GeneralizedRequest.this.isDone();
        }
    }

    /** Creates a request that is not started, for the rank with that lifecycle. */
    public GeneralizedRequest(final RankLifecycle lifecycle, final GrequestFunctions work) {
        super(lifecycle);
        this.functions = work;
    }

    @Override
    public void start() {
        lifecycle.check();
        try {
            functions.start();
        } catch (final Throwable e) {
            throw functionFailed("start", e);
        }
        completeCalled = false;
        status = null;
        completeFailure = null;
        cancelled = false;
        reset();
        active = true;
        lifecycle.helpers().progressThreads().add(polled);
    }

    /** Calls the push function, unless another thread is in it. */
    private void progress() {
        if (!isPending() || pushing.isHeldByCurrentThread() || !pushing.tryLock()) {
            return;
        }
        try {
            if (isPending()) {
                push();
            }
        } finally {
            pushing.unlock();
        }
    }

    private void push() {
        @Nullable
        MpiFailure failure = null;
        boolean complete;
        try {
            complete = functions.push();
        } catch (final Throwable e) {
            failure = functionFailed("push", e);
            complete = true;
        }
        // the push itself may have cancelled the request
        if (complete && isPending()) {
            finish(failure);
        }
    }

    private boolean isPending() {
        return active && !isDone();
    }

    @Override
    public void cancel() {
        final boolean nested = pushing.isHeldByCurrentThread();
        if (!nested) {
            awaitPush();
        }
        try {
            if (isPending()) {
                cancelled = callCancel();
                finish(null);
            }
        } finally {
            if (!nested) {
                pushing.unlock();
            }
        }
    }

    /** Waits until no thread is in the push function. The end of the rank interrupts its threads, and so ends the wait. */
    private void awaitPush() {
        boolean interrupted = false;
        try {
            while (!pushing.isHeldByCurrentThread()) {
                lifecycle.check();
                try {
                    pushing.lockInterruptibly();
                } catch (final InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean callCancel() {
        try {
            functions.cancel();
            return true;
        } catch (final JobEndedError e) {
            throw e;
        } catch (final Throwable e) {
            // a part of the operation may have taken place, which the complete function reports
            return false;
        }
    }

    @Override
    public boolean test() {
        if (isPending()) {
            lifecycle.helpers().progressThreads().wake();
        }
        return super.test();
    }

    @Override
    public void await() {
        final Waiter waiter = Waiter.current();
        boolean yields = true;
        for (int i = 0; i < PUSHES_PER_WAIT && !isDone(); i++) {
            lifecycle.check();
            progress();
            yields = yields && waiter.yieldsInTime();
        }
        try {
            super.await();
            callComplete();
        } finally {
            active = !isDone();
        }
    }

    @Override
    public Pending pendingOperation() {
        return Pending.of(PendingWait.Kind.GENERALIZED);
    }

    @Override
    public Status status() {
        if (isFailed()) {
            return Status.EMPTY;
        }
        return callComplete();
    }

    /** Calls the complete function, once per start; returns its result. */
    private synchronized Status callComplete() {
        if (!completeCalled) {
            completeCalled = true;
            try {
                status = functions.complete(cancelled);
            } catch (final Throwable e) {
                completeFailure = functionFailed("complete", e);
            }
        }
        if (completeFailure != null) {
            throw completeFailure;
        }
        return Objects.requireNonNull(status);
    }

    /** Waits until the request is complete, and has the complete function free its resources. A cancelled request has freed them already. */
    @Override
    public void free() {
        if (!active) {
            return;
        }
        while (!isDone()) {
            super.await();
        }
        if (!cancelled) {
            await();
        }
    }

    /** Cancels the operation after one of its functions failed, and returns the failure to raise. */
    private MpiFailure functionFailed(final String function, final Throwable cause) {
        if (cause instanceof JobEndedError ended) {
            throw ended;
        }
        try {
            functions.cancel();
        } catch (final Throwable e) {
            cause.addSuppressed(e);
        }
        lifecycle.check();
        // Cause: a function of the program threw an exception. Remedy: correct it; it is the cause of the exception.
        return cause instanceof MpiFailure f ? f
            : new MpiFailure(ErrorClass.OTHER, "generalized request: its " + function + " function failed: " + cause, cause);
    }
}
