package tutti.runtime.request;

/** Thrown out of any MPI call of a rank whose job is being ended. An Error, so that programs do not take it for one of theirs. */
public class JobEnded extends Error {
    private static final long serialVersionUID = 1L;

    /** With the reason in words. */
    public JobEnded(final String reason) {
        super(reason, null, false, false);
    }
}
