package programs;

import mpi.Datatype;
import mpi.Errhandler;
import mpi.MPI;
import mpi.MPIException;

/** Rank 1 causes the error that its argument names, on a communicator whose errors are fatal; the other ranks wait for rank 1. */
public final class FatalErrors {
    private FatalErrors() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        if (MPI.COMM_WORLD.getRank() == 1) {
            MPI.COMM_SELF.setErrhandler(MPI.ERRORS_ABORT);
            error(args[0]);
            throw new AssertionError("the call returned");
        }
        MPI.COMM_WORLD.barrier();
    }

    private static void error(final String kind) throws MPIException {
        try {
            switch (kind) {
                case "world" -> MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 99, 0);
                case "self" -> MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 99, 0);
                case "none" -> Datatype.createContiguous(-1, MPI.INT);
                case "call" -> MPI.COMM_WORLD.callErrhandler(MPI.ERR_IO);
                default -> {
                    MPI.COMM_SELF.setErrhandler(new Errhandler((comm, e) -> MPI.COMM_WORLD.callErrhandler(e.getErrorCode())));
                    MPI.COMM_SELF.barrier();
                    MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 0, -1);
                }
            }
        } catch (final MPIException e) {
            throw new AssertionError("the call threw", e);
        }
    }
}
