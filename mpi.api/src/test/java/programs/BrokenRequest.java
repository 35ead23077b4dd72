package programs;

import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;
import mpi.UserFunction;

/**
 * The user function of rank 2 throws in a reduction to rank 0, which is told of it; rank 2 waits for another request, too, that is never complete.
 */
public final class BrokenRequest {
    private BrokenRequest() {}

    /** Runs the program, on 5 ranks. */
    public static void main(final String[] args) throws MPIException {
        final boolean breaks = MPI.COMM_WORLD.getRank() == 2;
        final Op op = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                if (breaks) {
                    throw new IllegalStateException("boom");
                }
            }
        }, true);
        final Request never = MPI.COMM_WORLD.iRecv(new int[1], 1L, MPI.INT, 0, 7);
        final Request reduction = MPI.COMM_WORLD.iReduce(new int[] {1}, new int[1], 1L, MPI.INT, op, 0);
        Request.waitAll(breaks ? new Request[] {reduction, never} : new Request[] {reduction});
        MPI.COMM_WORLD.barrier();
    }
}
