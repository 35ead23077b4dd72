package mpi;

import org.jspecify.annotations.Nullable;

/**
 * The error of a call that needs a rank which has failed: of class {@code MPI.ERR_PROC_FAILED}, or {@code MPI.ERR_PROC_FAILED_PENDING} if it waits
 * for a receive from {@code MPI.ANY_SOURCE} whose message a failed rank could have sent.
 *
 * <p>After {@code ERR_PROC_FAILED} the request of the call is complete. After {@code ERR_PROC_FAILED_PENDING} it is still active: the program may
 * acknowledge the failed ranks by {@link Comm#ackFailed} and wait again, or cancel it. The error of a call for several requests has class {@code
 * MPI.ERR_IN_STATUS}, and its cause may be of this class. Safe for use by any thread. Not in Open MPI's bindings.
 */
public final class ProcessFailedException extends MPIException {
    private static final long serialVersionUID = 1L;

    /** Null in an object that was deserialized. */
    private final transient @Nullable Group failed;

    ProcessFailedException(final int errorCode, final int errorClass, final @Nullable String message, final @Nullable Throwable cause,
        final Group failed) {
        super(errorCode, errorClass, message, cause);
        this.failed = failed;
    }

    /**
     * Returns the ranks of the communicator, of both groups of an intercommunicator, that the calling rank knew to have failed when the call failed.
     * They are in the order of {@link Comm#getFailed}. The communicator is that of the call, or {@code MPI.COMM_WORLD} for a call that has none.
     *
     * @return a new group for each call, which the program may free but need not; the empty group if the call was not made by a rank between Init and
     *       Finalize, and of an exception that was deserialized
     */
    public Group getFailed() {
        final Group known = failed;
        return known == null ? Group.EMPTY : known.copy();
    }
}
