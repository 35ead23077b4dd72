package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import mpi.Comm;
import mpi.GraphComm;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;

/** Hints that the runtime reads, on at least 2 ranks that have only module basic. */
public final class Hints {
    private static final String KEY = "tutti_coll_allreduce";

    private Hints() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final Intracomm comm = MPI.COMM_WORLD.dup();
        final String usual = comm.explain("allreduce").algorithm();
        comm.setInfo(hint(KEY, "BasicModule/reduce_bcast"));
        serves(comm, "reduce_bcast");
        // other hints are kept
        comm.setInfo(hint("colour", "blue"));
        assertEquals("BasicModule/reduce_bcast", comm.getInfo().get(KEY));
        assertEquals("blue", comm.getInfo().get("colour"));
        assertEquals("false", comm.getInfo().get("mpi_assert_exact_length"));
        final Intracomm same = comm.dup();
        serves(same, "reduce_bcast");
        same.free();
        final Intracomm other = comm.dupWithInfo(hint("mpi_assert_no_any_source", "true"));
        serves(other, usual);
        assertNull(other.getInfo().get(KEY));
        assertEquals(MPI.ERR_RANK, assertThrows(MPIException.class, () -> other.recv(new int[1], 1, MPI.INT, MPI.ANY_SOURCE, 0)).getErrorClass());
        other.free();
        final GraphComm graph = comm.createDistGraphAdjacent(new int[0], new int[0], hint("mpi_assert_no_any_tag", "true"), false);
        serves(graph, usual);
        assertEquals("true", graph.getInfo().get("mpi_assert_no_any_tag"));
        graph.free();
        refused(comm);
        serves(comm, "reduce_bcast");
        comm.free();
        between();
    }

    private static void refused(final Intracomm comm) throws MPIException {
        final int rank = comm.getRank();
        fails(MPI.ERR_INFO_KEY, "no such operation: hint=tutti_coll_allReduce, allowed: tutti_coll_ with one of allgather, ",
            comm, hint("tutti_coll_allReduce", "BasicModule"));
        fails(MPI.ERR_INFO_VALUE, "hint cannot be met on ", comm, hint(KEY, "ring"));
        fails(MPI.ERR_INFO_VALUE, "hints tutti_... on ", comm, hint("tutti_average_block", Integer.toString(rank)));
        fails(MPI.ERR_INFO_VALUE, rank == 0 ? "neither true nor false: hint=mpi_assert_no_any_tag, value=1" : "hints on ", comm,
            hint("mpi_assert_no_any_tag", rank == 0 ? "1" : "true"));
        assertEquals("false", comm.getInfo().get("mpi_assert_no_any_tag"));
    }

    private static void fails(final int errorClass, final String text, final Intracomm comm, final Info hints) {
        final MPIException e = assertThrows(MPIException.class, () -> comm.setInfo(hints));
        assertTrue(e.getMessage().startsWith(text), e.getMessage());
        assertEquals(errorClass, e.getErrorClass(), e.getMessage());
    }

    private static void between() throws MPIException {
        final int rank = MPI.COMM_WORLD.getRank();
        final Intracomm part = MPI.COMM_WORLD.split(Math.min(rank, 1), 0);
        final Intercomm inter = MPI.COMM_WORLD.createIntercomm(part, 0, rank == 0 ? 1 : 0, 99);
        inter.setInfo(hint(KEY, "BasicModule/leaders"));
        assertEquals("leaders", inter.explain("allreduce").algorithm());
        final int[] sum = {0};
        inter.allReduce(new int[] {1}, sum, 1, MPI.INT, MPI.SUM);
        assertEquals(inter.getRemoteSize(), sum[0]);
        inter.iAllReduce(new int[] {1}, sum, 1, MPI.INT, MPI.SUM).waitFor();
        assertEquals(inter.getRemoteSize(), sum[0]);
        inter.free();
        part.free();
    }

    private static void serves(final Comm comm, final String algorithm) throws MPIException {
        assertEquals(algorithm, comm.explain("allreduce").algorithm());
        final int[] one = {1};
        comm.allReduce(one, 1, MPI.INT, MPI.SUM);
        assertEquals(comm.getSize(), one[0]);
        final int[] sum = {0};
        comm.iAllReduce(new int[] {1}, sum, 1, MPI.INT, MPI.SUM).waitFor();
        assertEquals(comm.getSize(), sum[0]);
        final Prequest prepared = comm.allReduceInit(new int[] {1}, sum, 1, MPI.INT, MPI.SUM);
        prepared.start();
        prepared.waitFor();
        assertEquals(comm.getSize(), sum[0]);
        prepared.free();
    }

    private static Info hint(final String key, final String value) throws MPIException {
        final Info hints = new Info();
        hints.set(key, value);
        return hints;
    }
}
