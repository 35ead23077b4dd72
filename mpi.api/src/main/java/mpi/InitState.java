package mpi;

import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;

/** Checks that a rank is between Init and Finalize. */
final class InitState {
    private InitState() {}

    /** Throws outside of Init and Finalize. */
    static void check(final Rank rank) throws MPIException {
        final String problem = problem(rank);
        if (problem != null) {
            throw ErrorHandling.unhandled(MPI.ERR_OTHER, problem, null);
        }
    }

    /** Returns why calls are not allowed at present; null if they are. */
    static @Nullable String problem(final Rank rank) {
        // Cause: a call behind `MPI.Finalize`; or a call before `MPI.Init`. Remedy: call it before; or call `MPI.Init` first.
        return !rank.isInitialized() ? "MPI.Init has not been called" : rank.isFinished() ? "MPI.Finalize has been called" : null;
    }
}
