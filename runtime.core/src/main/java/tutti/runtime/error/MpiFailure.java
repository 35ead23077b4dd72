package tutti.runtime.error;

/** An error that MPI reports to the program: a class, and a message that says what, where and within which bound. */
public final class MpiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorClass errorClass;

    /** With a class and a message in lower case, {@code root out of range: root=7, size=4} for one. */
    public MpiFailure(final ErrorClass errorClass, final String message) {
        super(message);
        this.errorClass = errorClass;
    }

    /** With a cause. */
    public MpiFailure(final ErrorClass errorClass, final String message, final Throwable cause) {
        super(message, cause);
        this.errorClass = errorClass;
    }

    /** The error class. */
    public ErrorClass errorClass() {
        return errorClass;
    }
}
