package tutti.runtime.process.owner;

/**
 * Thrown by every call into the runtime within a rank that has ended or whose job is being ended. It is an Error, so that programs do not catch it as
 * an exception of their own.
 */
public class JobEndedError extends Error {
    private static final long serialVersionUID = 1L;

    /** Creates an error with a reason, without a stack trace. */
    public JobEndedError(final String reason) {
        super(reason, null, false, false);
    }
}
