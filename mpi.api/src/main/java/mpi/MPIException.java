package mpi;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * An error that MPI reports: a message, a code, and the code's class, which is one of the {@code ERR} constants of class MPI or one that
 * the program added.
 */
public final class MPIException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errorCode;
    private final int errorClass;
    private transient Status[] statuses;

    /** An error of class {@code ERR_OTHER}. */
    public MPIException(final String message) {
        this(Constants.ERR_OTHER, Constants.ERR_OTHER, message, null);
    }

    /** An error of the class that the cause has, or else {@code ERR_OTHER}. */
    public MPIException(final Throwable cause) {
        super(cause);
        this.errorCode = cause instanceof MPIException e ? e.errorCode : Constants.ERR_OTHER;
        this.errorClass = cause instanceof MPIException e ? e.errorClass : Constants.ERR_OTHER;
    }

    /** For {@link ErrorHandling}, which sees to it that error handlers hear of errors. */
    MPIException(final int errorCode, final int errorClass, final String message, final Throwable cause) {
        super(message, cause);
        this.errorCode = errorCode;
        this.errorClass = errorClass;
    }

    /** The program's error as the runtime passes it on. */
    MpiFailure toFailure() {
        final ErrorClass[] known = ErrorClass.values();
        final boolean isKnown = errorClass > 0 && errorClass < known.length;
        return new MpiFailure(isKnown ? known[errorClass] : ErrorClass.OTHER, getMessage(), this);
    }

    /** The error code: the class, or one that the program added to it. */
    public int getErrorCode() {
        return errorCode;
    }

    /** The error class. */
    public int getErrorClass() {
        return errorClass;
    }

    /** Has {@link #getStatuses} of this error, and of the one that it causes, say that. */
    MPIException with(final Status[] of) {
        statuses = of;
        return this;
    }

    /**
     * Of an error of class {@code MPI.ERR_IN_STATUS}, which calls for several requests throw: the statuses of all requests that the call
     * completed, those with {@link Status#getError} other than {@code MPI.SUCCESS} being the ones that failed. Else without elements. Not in
     * Open MPI's bindings.
     */
    public Status[] getStatuses() {
        final Status[] own = statuses != null ? statuses : getCause() instanceof MPIException e ? e.statuses : null;
        return own == null ? new Status[0] : own.clone();
    }

    /** With the name of the error: {@code mpi.MPIException: MPI_ERR_RANK: destination out of range: dest=4, size=4}. */
    @Override
    public String toString() {
        final String name = ErrorNames.of(errorCode);
        return getClass().getName() + ": " + (name == null ? "error code " + errorCode : name) + ": " + getMessage();
    }
}
