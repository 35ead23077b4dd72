package tutti.runtime.request;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * A request whose work is a program's.
 *
 * <p>{@link #start} begins the work; from then on it is pushed by the rank's {@link GrequestProgressThread}, and by threads that wait for the
 * request or
 * test it, one at a time, until it says that it is done. Then the request is complete, and the first call that asks what became of it
 * has the work tell; the answer is kept until the next start. Where the work fails it is cancelled, and the failure is raised: by start, or
 * by the call that waits. {@link #cancel} of a request that is not complete cancels the work and makes it complete, whether the work
 * could be cancelled or not.
 */
public final class GeneralizedRequest extends PersistentRequest {
    private static final int EAGER_PUSHES = 100;
    private static final long SHORT_NANOS = 50_000;

    /** Whether the pusher has it; guarded by the pusher. */
    boolean listed;

    private final GrequestFunctions work;
    /** The thread that is within push or cancel. */
    private final AtomicReference<Thread> within = new AtomicReference<>();
    private volatile boolean active;
    private volatile boolean cancelled;
    private boolean told;
    private Status outcome;
    private MpiFailure failedLate;

    /** Not started yet, for a rank of that life. */
    public GeneralizedRequest(final RankLifecycle life, final GrequestFunctions work) {
        super(life);
        this.work = work;
    }

    @Override
    public void start() {
        life.check();
        try {
            work.start();
        } catch (final Throwable e) {
            throw broken("start", e);
        }
        told = false;
        outcome = null;
        failedLate = null;
        cancelled = false;
        reset();
        active = true;
        life.helpers().pusher().add(this);
    }

    /** Pushes it, unless another thread is at it. */
    @Override
    void help() {
        if (!isPending() || !within.compareAndSet(null, Thread.currentThread())) {
            return;
        }
        try {
            if (isPending()) {
                push();
            }
        } finally {
            within.set(null);
        }
    }

    private void push() {
        MpiFailure why = null;
        boolean over;
        try {
            over = work.push();
        } catch (final Throwable e) {
            why = broken("push", e);
            over = true;
        }
        // the push itself may have cancelled the request
        if (over && isPending()) {
            finish(why);
        }
    }

    private boolean isPending() {
        return active && !isDone();
    }

    @Override
    public void cancel() {
        final boolean nested = within.get() == Thread.currentThread();
        while (!nested && !within.compareAndSet(null, Thread.currentThread())) {
            life.check();
            LockSupport.parkNanos(SHORT_NANOS);
        }
        try {
            if (isPending()) {
                cancelled = isCancelled();
                finish(null);
            }
        } finally {
            if (!nested) {
                within.set(null);
            }
        }
    }

    private boolean isCancelled() {
        try {
            work.cancel();
            return true;
        } catch (final JobEnded e) {
            throw e;
        } catch (final Throwable e) {
            // part of it may have taken place, which is for complete to say
            return false;
        }
    }

    @Override
    public boolean test() {
        help();
        return super.test();
    }

    @Override
    public void await() {
        for (int i = 0; i < EAGER_PUSHES && !isDone(); i++) {
            life.check();
            help();
            Thread.yield();
        }
        try {
            super.await();
            tell();
        } finally {
            active = !isDone();
        }
    }

    @Override
    public Status waitFor() {
        await();
        return outcome;
    }

    @Override
    public Status status() {
        if (isFailed()) {
            return Status.EMPTY;
        }
        tell();
        return outcome;
    }

    /** Has the work say what became of it, once per start. */
    private synchronized void tell() {
        if (!told) {
            told = true;
            try {
                outcome = work.complete(cancelled);
            } catch (final Throwable e) {
                failedLate = broken("complete", e);
            }
        }
        if (failedLate != null) {
            throw failedLate;
        }
    }

    /** Waits until it is complete, and has the work free what it holds, which it has done already when it was cancelled. */
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

    /** The work failed: has it cancelled, and says why. */
    private MpiFailure broken(final String function, final Throwable why) {
        if (why instanceof JobEnded ended) {
            throw ended;
        }
        try {
            work.cancel();
        } catch (final Throwable e) {
            why.addSuppressed(e);
        }
        life.check();
        return why instanceof MpiFailure f ? f
            : new MpiFailure(ErrorClass.OTHER, "generalized request: its " + function + " function failed: " + why, why);
    }
}
