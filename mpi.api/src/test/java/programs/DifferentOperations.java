package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.UserFunction;

/** Reductions in which ranks use different operations of the program, with {@code check=full}. */
public final class DifferentOperations {
    private DifferentOperations() {}

    /** Adds numbers. */
    private static final class Add extends UserFunction {
        @Override
        public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) {
            final IntBuffer sums = inOut.asIntBuffer();
            for (int i = 0; i < count; i++) {
                sums.put(i, sums.get(i) + in.asIntBuffer().get(i));
            }
        }
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final boolean isFirst = MPI.COMM_WORLD.getRank() == 0;
        final Op add = new Op(new Add(), true);
        // the same class on all ranks, wherever it is created
        final int[] sum = {1};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, isFirst ? add : new Op(new Add(), true));
        assertEquals(MPI.COMM_WORLD.getSize(), sum[0]);
        checkRefused(isFirst ? add : new Op(new UserFunction() {}, true));
        checkRefused(isFirst ? add : new Op(new Add(), false));
        checkRefused(isFirst ? add : MPI.SUM);
    }

    private static void checkRefused(final Op op) {
        final MPIException e = assertThrows(MPIException.class, () -> MPI.COMM_WORLD.allReduce(new int[1], 1, MPI.INT, op));
        assertEquals(MPI.ERR_OP, e.getErrorClass(), e::toString);
        assertTrue(
            e.getMessage().matches("(?s)collective calls differ on MPI_COMM_WORLD: rank 0 calls allreduce\\(user-defined operation [0-9a-f]+ of int, "
                + "4 bytes\\), rank 1 calls allreduce\\((SUM|user-defined operation [0-9a-f]+) of int, 4 bytes\\).*"),
            e::toString);
    }
}
