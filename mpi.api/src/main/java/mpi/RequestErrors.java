package mpi;

/** The errors of the requests of an array, as one exception. For one call. */
final class RequestErrors {
    private MPIException all;

    /** The request at an index failed. */
    void add(final int index, final MPIException error) {
        if (all == null) {
            all = new MPIException(Constant.ERR_IN_STATUS, "request failed: index=" + index + ", error=" + error.getMessage(), error);
        } else {
            all.addSuppressed(error);
        }
    }

    /** Throws when there are errors. */
    void raise() throws MPIException {
        if (all != null) {
            throw all;
        }
    }
}
