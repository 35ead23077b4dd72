package tutti.runtime.transport.ucx;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Lock that nobody waits for. Who does not get it leaves the work to the holder, who looks for work after the release. One thread may ask to be told
 * of the release.
 *
 * <p><b>Threads.</b> Any. That one thread sets {@code asked} and then tries; the holder releases the lock and then looks at {@code asked}: so one of
 * them sees the other. {@code owner} is written by the holder; another thread never reads itself there.
 */
final class TryLock {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(TryLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile boolean held = true;
    private volatile boolean asked;
    private @Nullable Thread owner;

    /** Creates a lock that is held by nobody in particular, until {@link #own}. */
    TryLock() {
        // as above
    }

    /** Makes the current thread the holder of a new lock. */
    void own() {
        owner = Thread.currentThread();
    }

    /** Takes the lock when it is free. */
    boolean tryLock() {
        if (!held && HELD.compareAndSet(this, false, true)) {
            owner = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** As {@link #tryLock}; when it fails, {@link #unlock} returns true the next time. For one thread. */
    boolean tryLockOrAsk() {
        asked = true;
        if (tryLock()) {
            asked = false;
            return true;
        }
        return false;
    }

    /** Returns whether the current thread has the lock. */
    boolean isMine() {
        return owner == Thread.currentThread();
    }

    /** Releases the lock. Returns whether the thread that has asked is to be told. */
    boolean unlock() {
        owner = null;
        held = false;
        if (!asked) {
            return false;
        }
        asked = false;
        return true;
    }
}
