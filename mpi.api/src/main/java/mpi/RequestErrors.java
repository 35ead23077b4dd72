package mpi;

import tutti.runtime.error.MpiFailure;

/** The errors of the requests of an array, as one exception. For one call. */
final class RequestErrors {
    private CommBase comm;
    private String message;
    private MPIException first;

    /** The request at an index failed, which is one of a communicator or of none. */
    void add(final int index, final CommBase of, final MpiFailure failure) {
        final MPIException error = ErrorHandling.plain(failure.errorClass().code(), failure.getMessage(), failure);
        if (first == null) {
            first = error;
            comm = of;
            message = "request failed: index=" + index + ", error=" + failure.getMessage();
        } else {
            first.addSuppressed(error);
        }
    }

    /** Throws when there are errors; the error handler of the first one's communicator hears of it. */
    void raise(final Status[] statuses) throws MPIException {
        if (first != null) {
            first.with(statuses);
            throw comm == null ? ErrorHandling.error(Constants.ERR_IN_STATUS, message, first)
                : ErrorHandling.on(comm, Constants.ERR_IN_STATUS, message, first);
        }
    }
}
