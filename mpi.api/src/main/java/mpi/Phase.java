package mpi;

import tutti.runtime.comm.Rank;

/** Where a rank is between its start and its end. */
final class Phase {
    private Phase() { }

    /** Refuses calls outside of Init and Finalize. */
    static void check(final Rank rank) throws MPIException {
        if (!rank.isInitialized()) {
            throw new MPIException(Constant.ERR_OTHER, "MPI.Init has not been called");
        }
        if (rank.isFinished()) {
            throw new MPIException(Constant.ERR_OTHER, "MPI.Finalize has been called");
        }
    }
}
