package programs;

import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.UserFunction;

/** The user function of the last rank throws in a reduction; errors are fatal. */
public final class BrokenFunction {
    private BrokenFunction() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final boolean breaks = MPI.COMM_WORLD.getRank() == MPI.COMM_WORLD.getSize() - 1;
        final Op op = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                if (breaks) {
                    throw new IllegalStateException("boom");
                }
            }
        }, true);
        MPI.COMM_WORLD.allReduce(new int[] {1}, 1, MPI.INT, op);
    }
}
