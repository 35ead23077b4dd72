package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Errhandler;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** Error handlers of the program, MPI's handlers that return, and error codes. */
public final class ErrorHandlers {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final Intracomm SELF = MPI.COMM_SELF;
    private static final List<String> HEARD = new ArrayList<>();
    private static final int[] DATA = new int[4];

    private ErrorHandlers() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        first();
        returning();
        own();
        ownThatFails();
        requests();
        withoutCommunicator();
        codes();
        calls();
    }

    private static void recordError(final Comm comm, final MPIException e) {
        HEARD.add(comm + " " + e.getErrorClass());
    }

    private static void first() throws MPIException {
        assertSame(MPI.ERRORS_ARE_FATAL, WORLD.getErrhandler());
        assertSame(MPI.ERRORS_ARE_FATAL, SELF.getErrhandler());
        assertEquals("MPI_ERRORS_ABORT", MPI.ERRORS_ABORT.toString());
    }

    private static void returning() throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final MPIException e = assertThrows(MPIException.class, () -> WORLD.send(DATA, 1, MPI.INT, 99, 0));
        final int size = WORLD.getSize();
        final String text = "destination out of range: dest=99, size=" + size
            + " [send on MPI_COMM_WORLD, rank " + WORLD.getRank() + " of " + size + "]";
        assertEquals(text, e.getMessage());
        assertEquals("mpi.MPIException: MPI_ERR_RANK: " + text, e.toString());
        assertEquals("send", e.getStackTrace()[0].getMethodName());
        assertTrue(e.getStackTrace()[1].getMethodName().contains("returning"), e.getStackTrace()[1].toString());
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> WORLD.setErrhandler(null)).getErrorClass());
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, MPI.ERRORS_RETURN::free).getErrorClass());
    }

    private static void own() throws MPIException {
        final Errhandler handler = new Errhandler(ErrorHandlers::recordError);
        SELF.setErrhandler(handler);
        handler.free();
        assertTrue(handler.isNull());
        assertThrows(MPIException.class, () -> SELF.setErrhandler(handler));
        HEARD.clear();
        assertEquals(MPI.ERR_ROOT, assertThrows(MPIException.class, () -> SELF.bcast(DATA, 1, MPI.INT, 1)).getErrorClass());
        assertThrows(MPIException.class, () -> SELF.iBcast(MPI.slice(DATA, 0), 1, MPI.INT, 1));
        assertThrows(MPIException.class, () -> SELF.pack(DATA, 9, MPI.INT, new byte[8], 0));
        assertThrows(MPIException.class, SELF::free);
        assertEquals(List.of("MPI_COMM_SELF 8", "MPI_COMM_SELF 8", "MPI_COMM_SELF 15", "MPI_COMM_SELF 5"), HEARD);
        final Errhandler got = SELF.getErrhandler();
        assertNotSame(handler, got);
        assertFalse(got.isNull());
    }

    private static void ownThatFails() throws MPIException {
        SELF.setErrhandler(new Errhandler((comm, e) -> {
            throw new IllegalStateException("own");
        }));
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> SELF.send(DATA, 1, MPI.INT, 7, 0));
        assertEquals(MPI.ERR_RANK, ((MPIException) thrown.getSuppressed()[0]).getErrorClass());
        SELF.setErrhandler(new Errhandler((comm, e) -> comm.send(DATA, -1, MPI.INT, 0, 0)));
        final MPIException nested = assertThrows(MPIException.class, () -> SELF.send(DATA, 1, MPI.INT, 7, 0));
        assertEquals(MPI.ERR_COUNT, nested.getErrorClass());
        assertEquals(MPI.ERR_RANK, ((MPIException) nested.getSuppressed()[0]).getErrorClass());
        SELF.setErrhandler(new Errhandler((comm, e) -> {
            comm.barrier();
            recordError(comm, e);
        }));
        HEARD.clear();
        assertThrows(MPIException.class, () -> SELF.send(DATA, 1, MPI.INT, 7, 0));
        assertEquals(List.of("MPI_COMM_SELF 6"), HEARD);
    }

    private static void requests() throws MPIException {
        SELF.setErrhandler(new Errhandler(ErrorHandlers::recordError));
        HEARD.clear();
        final Request[] both = new Request[2];
        MPI.attachBuffer(new byte[2 * (16 + MPI.BSEND_OVERHEAD)]);
        for (int i = 0; i < 2; i++) {
            SELF.bSend(DATA, 4, MPI.INT, 0, i);
            both[i] = SELF.iRecv(MPI.slice(new int[2], 0), 2, MPI.INT, 0, i);
        }
        final MPIException e = assertThrows(MPIException.class, () -> Request.waitAll(both));
        assertEquals(MPI.ERR_IN_STATUS, e.getErrorClass());
        assertEquals(1, e.getCause().getSuppressed().length);
        assertEquals(List.of("MPI_COMM_SELF 18"), HEARD);
        SELF.bSend(DATA, 4, MPI.INT, 0, 0);
        final Request one = SELF.iRecv(MPI.slice(new int[2], 0), 2, MPI.INT, 0, 0);
        assertThrows(MPIException.class, one::waitFor);
        assertThrows(MPIException.class, one::cancel);
        assertEquals(List.of("MPI_COMM_SELF 18", "MPI_COMM_SELF 15", "MPI_COMM_SELF 7"), HEARD);
    }

    private static void withoutCommunicator() throws MPIException {
        WORLD.setErrhandler(new Errhandler(ErrorHandlers::recordError));
        HEARD.clear();
        assertThrows(MPIException.class, () -> new Info().get(""));
        assertThrows(MPIException.class, MPI.INT::free);
        assertThrows(MPIException.class, () -> MPI.attachBuffer(null));
        assertThrows(MPIException.class, () -> Comm.reduceLocal(DATA, new int[1], 1, MPI.INT, null));
        assertThrows(MPIException.class, () -> MPI.Init(null));
        assertEquals(List.of("MPI_COMM_WORLD 31", "MPI_COMM_WORLD 3", "MPI_COMM_WORLD 1", "MPI_COMM_WORLD 10", "MPI_COMM_WORLD 16"), HEARD);
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
    }

    private static void codes() throws MPIException {
        final int errorClass = MPI.addErrorClass();
        final int code = MPI.addErrorCode(errorClass);
        final int more = MPI.addErrorCode(MPI.ERR_IO);
        assertTrue(errorClass > MPI.ERR_LASTCODE && code > errorClass && more > code);
        assertEquals("", MPI.getErrorString(code));
        MPI.addErrorString(code, "the wind turned");
        assertEquals("the wind turned", MPI.getErrorString(code));
        assertEquals("MPI_ERR_RANK: invalid rank", MPI.getErrorString(MPI.ERR_RANK));
        assertEquals(errorClass, MPI.getErrorClass(code));
        assertEquals(errorClass, MPI.getErrorClass(errorClass));
        assertEquals(MPI.ERR_IO, MPI.getErrorClass(more));
        assertEquals(MPI.ERR_IO, MPI.getErrorClass(MPI.ERR_IO));
        for (final int wrong : new int[] {more + 1, -7, 60}) {
            assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> MPI.getErrorString(wrong)).getErrorClass());
            assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> MPI.addErrorCode(wrong)).getErrorClass());
        }
        assertThrows(MPIException.class, () -> MPI.addErrorCode(code));
        assertThrows(MPIException.class, () -> MPI.addErrorString(MPI.ERR_RANK, "x"));
        assertThrows(MPIException.class, () -> MPI.addErrorString(code, null));
        HEARD.clear();
        SELF.setErrhandler(new Errhandler((comm, e) -> HEARD.add(e.getErrorCode() - errorClass + " " + (e.getErrorClass() - errorClass) + " "
            + e.getMessage())));
        SELF.callErrhandler(code);
        assertEquals(List.of("1 0 the wind turned [callErrhandler on MPI_COMM_SELF, rank 0 of 1]"), HEARD);
    }

    private static void calls() throws MPIException {
        WORLD.callErrhandler(MPI.ERR_OTHER);
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> WORLD.callErrhandler(4711)).getErrorClass());
        SELF.setErrhandler(new Errhandler((comm, e) -> {
            throw e;
        }));
        SELF.callErrhandler(MPI.ERR_IO);
        SELF.setErrhandler(MPI.ERRORS_RETURN);
    }
}
