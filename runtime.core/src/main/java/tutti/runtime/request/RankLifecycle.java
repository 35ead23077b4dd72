package tutti.runtime.request;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/** Whether a rank may go on. Looked at by every thread of the rank that enters MPI or waits in it; ended once, by any thread. */
public final class RankLifecycle {
    private final RankHelperThreads helpers = new RankHelperThreads(this);
    private volatile String over;
    private volatile boolean serial;
    private volatile Thread only;
    private String level;
    private volatile Thread waiting;

    /** The threads that help the rank's own ones. */
    public RankHelperThreads helpers() {
        return helpers;
    }

    /** Ends it. Threads that are parked must be unparked by the caller, and then throw {@link JobEnded}. */
    public void end(final String reason) {
        if (over == null) {
            over = reason;
        }
    }

    /** From now on only that thread may call, and what helps the rank; the level says why. */
    public void restrict(final Thread main, final String threadLevel) {
        level = threadLevel;
        only = main;
    }

    /** From now on no thread may call while another one waits in a call. */
    public void serialize() {
        serial = true;
    }

    /** Returns while the rank may go on, throws {@link JobEnded} from then on. Refuses threads that may not call, or not now. */
    public void check() {
        final String reason = over;
        if (reason != null) {
            throw new JobEnded(reason);
        }
        checkThread();
    }

    private void checkThread() {
        final Thread main = only;
        if (main != null && isStrangerTo(main)) {
            throw new MpiFailure(ErrorClass.OTHER, "call from a thread that may not call: thread=" + Thread.currentThread().getName() + ", main="
                + main.getName() + ", level=" + level + ", use MPI.InitThread with MPI.THREAD_MULTIPLE");
        }
        final Thread other = waiting;
        if (other != null && isStrangerTo(other)) {
            throw new MpiFailure(ErrorClass.OTHER, "call while another thread is in one: thread=" + Thread.currentThread().getName() + ", other="
                + other.getName() + ", level=SERIALIZED, use MPI.InitThread with MPI.THREAD_MULTIPLE");
        }
    }

    /** Whether the calling thread is another, and none that helps the rank. */
    private static boolean isStrangerTo(final Thread other) {
        return other != Thread.currentThread() && !RankHelperThreads.isHelper(Thread.currentThread());
    }

    /** The calling thread begins to wait. */
    void enter() {
        checkThread();
        if (serial && !RankHelperThreads.isHelper(Thread.currentThread())) {
            waiting = Thread.currentThread();
        }
    }

    /** The calling thread does not wait any more. */
    void leave() {
        if (serial && waiting == Thread.currentThread()) {
            waiting = null;
        }
    }

    boolean isOver() {
        return over != null;
    }
}
