package mpi;

import org.jspecify.annotations.Nullable;

/**
 * The error, of class {@code MPI.ERR_REVOKED}, of a call on a communicator that {@link Comm#revoke} has revoked, on this rank or on another one. The
 * operation was not started, or it was ended: its request is complete, and the contents of its receive buffers are undefined.
 *
 * <p>The error of a call for several requests has class {@code MPI.ERR_IN_STATUS}, and its cause may be of this class. Safe for use by any thread.
 * Not in Open MPI's bindings.
 */
public final class RevokedException extends MPIException {
    private static final long serialVersionUID = 1L;

    RevokedException(final int errorCode, final int errorClass, final @Nullable String message, final @Nullable Throwable cause) {
        super(errorCode, errorClass, message, cause);
    }
}
