package mpi;

import tutti.runtime.comm.Rank;

/** Where a rank is between its start and its end. */
final class InitState {
    private InitState() { }

    /** Refuses calls outside of Init and Finalize. */
    static void check(final Rank rank) throws MPIException {
        final String problem = problem(rank);
        if (problem != null) {
            throw ErrorHandling.plain(Constants.ERR_OTHER, problem, null);
        }
    }

    /** Why there cannot be calls now; null when there can. */
    static String problem(final Rank rank) {
        return !rank.isInitialized() ? "MPI.Init has not been called" : rank.isFinished() ? "MPI.Finalize has been called" : null;
    }
}
