package tutti.runtime.process.owner;

/**
 * The outcome of a rank.
 *
 * @param kind   how the rank ended
 * @param status the exit status that the rank asks for; 0 is success
 * @param text   message for the user: the stack trace of an exception, or the reason for the end; empty where there is none
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
        /** A call failed because of an error of another rank or node. The job ends with that error, if the other one raises it. */
        PEER_FAILED,
        /** The job was ended from outside. */
        CANCELLED
    }

    /** Returns whether the rank succeeded, so that the job continues without it. */
    public boolean isGood() {
        return status == 0 && (kind == Kind.RETURNED || kind == Kind.EXITED);
    }
}
