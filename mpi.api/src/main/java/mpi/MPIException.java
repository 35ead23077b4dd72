package mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * An error that MPI reports: a message, an error code, and the code's class, which is one of the {@code ERR} constants of class MPI or one that
 * the program added.
 *
 * <p>Errors of calls that have class {@code ERR_PROC_FAILED} or {@code ERR_PROC_FAILED_PENDING} are {@link ProcessFailedException}s, and those of
 * class {@code ERR_REVOKED} are {@link RevokedException}s, so that a program can catch them. All others are of this class itself. So is an object
 * that a program creates, whatever its error class: the call whose error it becomes, for example because a function of the program throws it, throws
 * an exception of the class that belongs to it. An exception does not change once a call has thrown it.
 */
public sealed class MPIException extends Exception permits ProcessFailedException, RevokedException {
    private static final long serialVersionUID = 1L;

    private final int errorCode;
    private final int errorClass;
    private transient Status @Nullable [] statuses;

    /** Creates an error of class {@code ERR_OTHER}; the message may be null. */
    public MPIException(final @Nullable String message) {
        this(MPI.ERR_OTHER, MPI.ERR_OTHER, message, null);
    }

    /**
     * Creates an error with a code, for functions of the program: a predefined error class, or a class or code that it added by
     * {@code MPI.addErrorClass} or {@code MPI.addErrorCode}. The class of any other code is {@code ERR_UNKNOWN}. The object is no {@link
     * ProcessFailedException} and no {@link RevokedException}, even if its error class is theirs. Not in Open MPI's bindings.
     */
    public MPIException(final int errorCode, final @Nullable String message) {
        this(errorCode, ErrorHandling.classOfCallers(errorCode), message, null);
    }

    /** Creates an error with the code and class of the cause; {@code ERR_OTHER} if the cause is no MPIException, or null. */
    public MPIException(final @Nullable Throwable cause) {
        super(cause);
        this.errorCode = cause instanceof MPIException e ? e.errorCode : MPI.ERR_OTHER;
        this.errorClass = cause instanceof MPIException e ? e.errorClass : MPI.ERR_OTHER;
    }

    /** Creates an error; called by {@link ErrorHandling}, which invokes error handlers. */
    MPIException(final int errorCode, final int errorClass, final @Nullable String message, final @Nullable Throwable cause) {
        super(message, cause);
        this.errorCode = errorCode;
        this.errorClass = errorClass;
    }

    /** Converts this error of a program's function to a failure of the runtime. */
    MpiFailure toFailure() {
        final ErrorClass known = Arrays.stream(ErrorClass.values()).filter(c -> c != ErrorClass.SUCCESS && c.code() == errorClass).findAny()
            .orElse(ErrorClass.OTHER);
        return new MpiFailure(known, getMessage(), this);
    }

    /** Returns the error code: the class, or a code that the program added to it. */
    public int getErrorCode() {
        return errorCode;
    }

    /** Returns the error class. */
    public int getErrorClass() {
        return errorClass;
    }

    /** Sets the statuses that {@link #getStatuses} returns for this error and for errors that have it as their cause. */
    MPIException withStatuses(final Status[] newStatuses) {
        statuses = newStatuses;
        return this;
    }

    /**
     * Returns the statuses of the requests of a call that failed with class {@code MPI.ERR_IN_STATUS}. The array has a status for each request
     * that the call completed; for those that failed {@link Status#getError} is not {@code MPI.SUCCESS}. For other errors it is empty. Not in
     * Open MPI's bindings.
     */
    public Status[] getStatuses() {
        final Status[] own = statuses != null ? statuses : getCause() instanceof MPIException e ? e.statuses : null;
        return own == null ? new Status[0] : own.clone();
    }

    /**
     * Returns the class, the name of the error and the message: {@code mpi.MPIException: MPI_ERR_RANK: destination out of range: dest=4, size=4}.
     */
    @Override
    public String toString() {
        final String name = ErrorNames.of(errorCode);
        return getClass().getName() + ": " + (name == null ? "error code " + errorCode : name) + ": " + getMessage();
    }
}
