package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import org.junit.jupiter.api.function.Executable;

/** Calls of allreduce that a module refuses on rank 1 for more than 9 elements, with errors of its own. */
public final class ModuleErrors {
    private ModuleErrors() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int[] data = new int[12];
        check(10, "allReduce", () -> MPI.COMM_WORLD.allReduce(data, 10, MPI.INT, MPI.SUM));
        check(11, "waitFor", () -> MPI.COMM_WORLD.iAllReduce(data, 11, MPI.INT, MPI.SUM).waitFor());
        final Request[] requests = {MPI.COMM_WORLD.iAllReduce(data, 12, MPI.INT, MPI.SUM)};
        final MPIException several = assertThrows(MPIException.class, () -> Request.waitAll(requests));
        assertEquals(MPI.ERR_IN_STATUS, several.getErrorClass());
        final MPIException first = (MPIException) several.getCause();
        assertEquals(MPI.COMM_WORLD.getRank() == 1 ? MPI.ERR_COUNT : MPI.ERR_OTHER, first.getErrorClass(), first::toString);
        assertEquals(MPI.COMM_WORLD.getRank() == 1 ? 4712 : MPI.ERR_OTHER, first.getErrorCode(), first::toString);
        // later calls are not affected
        final int[] sum = {1};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
        assertEquals(MPI.COMM_WORLD.getSize(), sum[0]);
    }

    private static void check(final int count, final String call, final Executable failing) throws MPIException {
        final MPIException e = assertThrows(MPIException.class, failing);
        final boolean isOwn = MPI.COMM_WORLD.getRank() == 1;
        assertEquals(isOwn ? MPI.ERR_COUNT : MPI.ERR_OTHER, e.getErrorClass(), e::toString);
        assertEquals(isOwn ? 4700 + count : MPI.ERR_OTHER, e.getErrorCode(), e::toString);
        assertTrue(e.getMessage().contains(isOwn ? "algorithm strict: too many elements: count=" + count + ", max=9 [" + call
            : "collective failed on another rank: rank "), e::toString);
    }
}
