package tutti.runtime.error;

/** An error that MPI reports to the program: a class, and a message that says what, where and within which bound. */
public final class MpiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorClass errorClass;
    private final boolean isHearsay;

    /** With a class and a message in lower case, {@code root out of range: root=7, size=4} for one. */
    public MpiFailure(final ErrorClass errorClass, final String message) {
        this(errorClass, message, null);
    }

    /** With a cause. */
    public MpiFailure(final ErrorClass errorClass, final String message, final Throwable cause) {
        this(errorClass, message, cause, cause instanceof MpiFailure f && f.isHearsay);
    }

    private MpiFailure(final ErrorClass errorClass, final String message, final Throwable cause, final boolean isHearsay) {
        super(message, cause);
        this.errorClass = errorClass;
        this.isHearsay = isHearsay;
    }

    /** One of class OTHER that another rank has told of, which knows more about it. */
    public static MpiFailure hearsay(final String message) {
        return new MpiFailure(ErrorClass.OTHER, message, null, true);
    }

    /** Whether another rank knows more about it, and has an error of its own. */
    public boolean isHearsay() {
        return isHearsay;
    }

    /** The error class. */
    public ErrorClass errorClass() {
        return errorClass;
    }
}
