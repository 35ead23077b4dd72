package tutti.runtime.model;

import org.jspecify.annotations.Nullable;

/** An error that MPI reports to the program: an error class, and a message that says what failed, where, and which bound applies. */
public final class MpiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorClass errorClass;
    private final boolean isReportedByPeer;

    /**
     * Creates a failure of a class.
     *
     * @param message in lower case, {@code root out of range: root=7, size=4} for example
     */
    public MpiFailure(final ErrorClass errorClass, final String message) {
        this(errorClass, message, null);
    }

    /** Creates a failure with a cause. */
    public MpiFailure(final ErrorClass errorClass, final @Nullable String message, final @Nullable Throwable cause) {
        this(errorClass, message, cause, cause instanceof MpiFailure f && f.isReportedByPeer);
    }

    private MpiFailure(final ErrorClass errorClass, final @Nullable String message, final @Nullable Throwable cause, final boolean isReportedByPeer) {
        super(message, cause);
        this.errorClass = errorClass;
        this.isReportedByPeer = isReportedByPeer;
    }

    /** Creates a failure of class OTHER that is the consequence of an error of another rank or node. That one has the original error. */
    public static MpiFailure reportedByPeer(final String message) {
        return new MpiFailure(ErrorClass.OTHER, message, null, true);
    }

    /** Creates a failure of class PROC_FAILED: a rank, or its node, is lost, that the call needs. */
    public static MpiFailure ofLoss(final String message) {
        return new MpiFailure(ErrorClass.PROC_FAILED, message, null, true);
    }

    /** Creates a failure of class REVOKED. */
    public static MpiFailure revoked(final String message) {
        return new MpiFailure(ErrorClass.REVOKED, message, null, true);
    }

    /** Returns a failure of the same class and with the same message, of the calling thread; this one is its cause. */
    public MpiFailure again() {
        return again(errorClass);
    }

    /** Returns a failure as {@link #again()} does, of another class. */
    public MpiFailure again(final ErrorClass as) {
        return new MpiFailure(as, getMessage(), this);
    }

    /** Returns whether the failure is that of a rank, or its node, that is lost. */
    public boolean isOfLoss() {
        return errorClass == ErrorClass.PROC_FAILED;
    }

    /** Returns whether the failure is the consequence of an error of another rank or node. */
    public boolean isReportedByPeer() {
        return isReportedByPeer;
    }

    /** Returns the error class. */
    public ErrorClass errorClass() {
        return errorClass;
    }
}
