package tutti.runtime.request;

/** Whether a rank may go on. Looked at by every thread of the rank that enters MPI or waits in it; ended once, by any thread. */
public final class Life {
    private final Helpers helpers = new Helpers(this);
    private volatile String over;

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

    /** Returns while the rank may go on, throws {@link JobEnded} from then on. */
    public void check() {
        final String reason = over;
        if (reason != null) {
            throw new JobEnded(reason);
        }
    }

    boolean isOver() {
        return over != null;
    }
}
