package mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/** The errors of the requests of an array, combined into one exception. For one call. */
final class RequestErrors {
    private @Nullable Comm comm;
    private String message = "";
    private @Nullable MPIException first;
    private boolean isByPeers = true;

    /**
     * Adds the failure of the request at an index.
     *
     * @param index       index of the request
     * @param requestComm communicator of the request, or null
     * @param failure     the failure
     */
    void add(final int index, final @Nullable Comm requestComm, final MpiFailure failure) {
        isByPeers &= failure.isReportedByPeer();
        final MPIException error = ErrorHandling.unhandled(requestComm, ErrorHandling.codeOf(failure), failure.getMessage(), failure);
        if (first == null) {
            first = error;
            comm = requestComm;
            // Cause: a call for several requests: each status has its own error. Remedy: `getStatuses` of the exception.
            message = "request failed: index=" + index + ", error=" + failure.getMessage();
        } else {
            first.addSuppressed(error);
        }
    }

    /**
     * Throws if there are errors; invokes the error handler of the communicator of the first failed request.
     *
     * @param statuses the statuses of the requests that the call completed
     * @param count    how many there are
     */
    void raise(final Status[] statuses, final int count) throws MPIException {
        final MPIException cause = first;
        if (cause != null) {
            cause.withStatuses(Arrays.copyOf(statuses, count));
            throw comm == null ? ErrorHandling.error(MPI.ERR_IN_STATUS, message, cause)
                : ErrorHandling.on(comm, MPI.ERR_IN_STATUS, message, cause, isByPeers);
        }
    }
}
