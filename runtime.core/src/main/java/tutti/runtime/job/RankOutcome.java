package tutti.runtime.job;

/**
 * How a rank ended.
 *
 * @param kind   in which way
 * @param status the exit status that it asks for; 0 is success
 * @param text   what to tell the user: the stack trace of an exception, or why it was ended; empty where there is nothing to tell
 */
public record RankOutcome(Kind kind, int status, String text) {

    /** The ways in which a rank ends. */
    public enum Kind {
        /** {@code main} returned. */
        RETURNED,
        /** The rank called {@code System.exit} or its like. */
        EXITED,
        /** The rank called abort: the job ends with that status. */
        ABORTED,
        /** An exception came out of {@code main}, or the program could not be loaded. */
        FAILED,
        /** The job was ended from outside. */
        CANCELLED
    }

    /** Whether the job goes on without this rank. */
    public boolean isGood() {
        return status == 0 && (kind == Kind.RETURNED || kind == Kind.EXITED);
    }
}
