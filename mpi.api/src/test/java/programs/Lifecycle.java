package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Intercomm;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.function.Executable;

/** One rank that calls before Init, between Init and Finalize, and after Finalize. */
public final class Lifecycle {
    private Lifecycle() {}

    private static final List<Executable> CALLS = List.of(
        () -> MPI.COMM_WORLD.getRank(),
        () -> MPI.COMM_WORLD.barrier(),
        () -> MPI.COMM_WORLD.iBarrier(),
        () -> MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 0, 0),
        () -> MPI.COMM_SELF.iProbe(0, 0),
        () -> MPI.COMM_SELF.getName(),
        () -> MPI.COMM_WORLD.explain(),
        () -> MPI.COMM_SELF.explain("bcast"),
        () -> MPI.COMM_WORLD.dup(),
        () -> MPI.COMM_WORLD.split(0, 0),
        () -> MPI.COMM_SELF.free(),
        () -> MPI.COMM_WORLD.getAttr(MPI.TAG_UB),
        () -> Comm.createKeyval(),
        () -> Intercomm.getParent(),
        MPI::getProcessorName,
        MPI::queryThread,
        MPI::detachBuffer);

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        assertFalse(MPI.isInitialized());
        assertFalse(MPI.isFinalized());
        refused("MPI.Init has not been called");
        assertEquals("thread level out of range: required=4, range=0..3",
            assertThrows(MPIException.class, () -> MPI.InitThread(args, 4)).getMessage());
        assertArrayEquals(args, MPI.Init(args));
        assertTrue(MPI.isInitialized());
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        assertEquals("Init was called already [Init on MPI_COMM_WORLD, rank 0 of 1]",
            assertThrows(MPIException.class, () -> MPI.Init(args)).getMessage());
        assertEquals(MPI.THREAD_MULTIPLE, MPI.queryThread());
        assertTrue(MPI.isThreadMain());
        MPI.COMM_WORLD.barrier();
        final List<Object> ended = new ArrayList<>();
        final int key = Comm.createKeyval(null, (comm, keyval, value) -> ended.add(MPI.isFinalized() ? "late" : value));
        final int other = Comm.createKeyval(null, (comm, keyval, value) -> ended.add(value));
        MPI.COMM_SELF.setAttr(key, "first");
        MPI.COMM_SELF.setAttr(other, "second");
        MPI.Finalize();
        assertEquals(List.of("second", "first"), ended);
        assertTrue(MPI.isFinalized());
        refused("MPI.Finalize has been called");
        assertThrows(MPIException.class, MPI::Finalize);
        assertTrue(assertThrows(MPIException.class, () -> MPI.Init(args)).getMessage().startsWith("Init called after Finalize"));
        assertEquals(3, MPI.getVersion().getVersion());
        assertEquals(1, MPI.getVersion().getSubVersion());
        assertTrue(MPI.getLibVersion().startsWith("Tutti"));
    }

    private static void refused(final String why) {
        for (final Executable call : CALLS) {
            final MPIException e = assertThrows(MPIException.class, call);
            assertEquals(why, e.getMessage());
            assertEquals(MPI.ERR_OTHER, e.getErrorClass());
            assertFalse(e.getStackTrace()[1].getClassName().startsWith("mpi."), e.getStackTrace()[1].toString());
        }
    }
}
