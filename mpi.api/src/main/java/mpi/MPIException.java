package mpi;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/** An error that MPI reports: a class, which is one of the {@code ERR} constants of class MPI, and a message. */
public final class MPIException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errorClass;

    /** An error of class {@code ERR_OTHER}. */
    public MPIException(final String message) {
        this(Constant.ERR_OTHER, message);
    }

    /** An error of the class that the cause has, or else {@code ERR_OTHER}. */
    public MPIException(final Throwable cause) {
        super(cause);
        this.errorClass = cause instanceof MPIException e ? e.errorClass : Constant.ERR_OTHER;
    }

    MPIException(final int errorClass, final String message) {
        super(message);
        this.errorClass = errorClass;
    }

    MPIException(final int errorClass, final String message, final Throwable cause) {
        super(message, cause);
        this.errorClass = errorClass;
    }

    /** The runtime's failure as programs see it. */
    static MPIException of(final MpiFailure failure) {
        return new MPIException(failure.errorClass().code(), failure.getMessage(), failure);
    }

    /** The program's error as the runtime passes it on. */
    MpiFailure toFailure() {
        final ErrorClass[] known = ErrorClass.values();
        final boolean isKnown = errorClass > 0 && errorClass < known.length;
        return new MpiFailure(isKnown ? known[errorClass] : ErrorClass.OTHER, getMessage(), this);
    }

    /** The error code; codes and classes are the same here. */
    public int getErrorCode() {
        return errorClass;
    }

    /** The error class. */
    public int getErrorClass() {
        return errorClass;
    }
}
