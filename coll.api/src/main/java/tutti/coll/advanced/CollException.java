package tutti.coll.advanced;

import tutti.coll.Algorithm;

/**
 * An error that a module reports to the program: {@link Algorithm#plan} throws it if it cannot plan a call. The call fails on this rank with the
 * error's class, code and text, in addition to which the text names the module. The ranks that need this rank's part in the call fail with an
 * error of class {@code ERR_OTHER}. Later calls on the communicator are not affected.
 *
 * <p>An error class is a number that MPI defines, such as {@code MPI.ERR_COUNT}. An error code is any positive number that the module chooses, and
 * means more than its class.
 */
public final class CollException extends RuntimeException {
    /** The class of errors that belong to no other class: {@code MPI.ERR_OTHER}. */
    public static final int ERR_OTHER = 16;

    private static final long serialVersionUID = 1L;

    private final int errorClass;
    private final int errorCode;

    /** Creates an error of class {@link #ERR_OTHER}. */
    public CollException(final String text) {
        this(ERR_OTHER, ERR_OTHER, text);
    }

    /**
     * Creates an error.
     *
     * @param errorClass number of the error class, above 0
     * @param errorCode  the error code, above 0; the class itself if there is nothing to add
     * @param text       says what is wrong, in lower case
     * @throws IllegalArgumentException if a number is not above 0
     */
    public CollException(final int errorClass, final int errorCode, final String text) {
        super(text);
        if (errorClass <= 0 || errorCode <= 0) {
            throw new IllegalArgumentException("error class or code out of range: class=" + errorClass + ", code=" + errorCode + ", min=1");
        }
        this.errorClass = errorClass;
        this.errorCode = errorCode;
    }

    /** Returns the number of the error class. */
    public int errorClass() {
        return errorClass;
    }

    /** Returns the error code. */
    public int errorCode() {
        return errorCode;
    }
}
