package tutti.runtime.request;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/** Whether a rank may go on. Looked at by every thread of the rank that enters MPI or waits in it; ended once, by any thread. */
public final class Life {
    private final Helpers helpers = new Helpers(this);
    private volatile String over;
    private volatile boolean serial;
    private volatile Thread waiting;

    /** The threads that help the rank's own ones. */
    public Helpers helpers() {
        return helpers;
    }

    /** Ends it. Threads that are parked must be unparked by the caller, and then throw {@link JobEnded}. */
    public void end(final String reason) {
        if (over == null) {
            over = reason;
        }
    }

    /** From now on no thread may call while another one waits in a call. */
    public void serialize() {
        serial = true;
    }

    /** Returns while the rank may go on, throws {@link JobEnded} from then on. Refuses a second thread where only one at a time may call. */
    public void check() {
        final String reason = over;
        if (reason != null) {
            throw new JobEnded(reason);
        }
        if (serial) {
            checkAlone();
        }
    }

    private void checkAlone() {
        final Thread other = waiting;
        if (other != null && other != Thread.currentThread()) {
            throw new MpiFailure(ErrorClass.OTHER, "call while another thread is in one: thread=" + Thread.currentThread().getName() + ", other="
                + other.getName() + ", level=SERIALIZED, use MPI.InitThread with MPI.THREAD_MULTIPLE");
        }
    }

    /** The calling thread begins to wait. */
    void enter() {
        if (serial) {
            checkAlone();
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
