package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import mpi.Errhandler;
import mpi.Grequest;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.ProcessFailedException;
import mpi.Request;
import mpi.RevokedException;
import mpi.Status;

/** The types of errors whose classes say that ranks have failed, as the program makes them. On any number of ranks. */
public final class FailureErrors {
    private static final List<MPIException> HEARD = new ArrayList<>();

    private FailureErrors() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(new Errhandler((comm, error) -> HEARD.add(error)));
        handled();
        codes();
        requests();
    }

    /** Returns the error with which the handler of COMM_WORLD was called for a code. */
    private static MPIException heard(final int code) throws MPIException {
        HEARD.clear();
        MPI.COMM_WORLD.callErrhandler(code);
        assertEquals(1, HEARD.size());
        assertEquals(code, HEARD.getFirst().getErrorCode());
        return HEARD.getFirst();
    }

    private static void handled() throws MPIException {
        final MPIException revoked = heard(MPI.ERR_REVOKED);
        assertInstanceOf(RevokedException.class, revoked);
        final Intracomm world = MPI.COMM_WORLD;
        final String where = " [callErrhandler on MPI_COMM_WORLD, rank " + world.getRank() + " of " + world.getSize() + "]";
        assertEquals("mpi.RevokedException: MPI_ERR_REVOKED: communicator has been revoked" + where, revoked.toString());
        for (final int errorClass : new int[] {MPI.ERR_PROC_FAILED, MPI.ERR_PROC_FAILED_PENDING}) {
            final ProcessFailedException failed = assertInstanceOf(ProcessFailedException.class, heard(errorClass));
            assertEquals(errorClass, failed.getErrorClass());
            assertSame(MPI.GROUP_EMPTY, failed.getFailed());
            assertTrue(failed.toString().startsWith("mpi.ProcessFailedException: MPI_ERR_PROC_FAILED"), failed.toString());
        }
        assertSame(MPIException.class, heard(MPI.ERR_PROC_ABORTED).getClass());
        // an object of the program is of the type that it was created with
        assertSame(MPIException.class, new MPIException(MPI.ERR_REVOKED, "x").getClass());
        assertEquals(MPI.ERR_REVOKED, new MPIException(MPI.ERR_REVOKED, "x").getErrorClass());
    }

    private static void codes() throws MPIException {
        final int code = MPI.addErrorCode(MPI.ERR_REVOKED);
        MPI.addErrorString(code, "given up");
        final RevokedException error = assertInstanceOf(RevokedException.class, heard(code));
        assertEquals(MPI.ERR_REVOKED, error.getErrorClass());
        assertInstanceOf(ProcessFailedException.class, heard(MPI.addErrorCode(MPI.ERR_PROC_FAILED)));
        assertEquals(MPI.ERR_REVOKED, MPI.getErrorClass(MPI.ERR_REVOKED));
        assertEquals("MPI_ERR_REVOKED: communicator has been revoked", MPI.getErrorString(MPI.ERR_REVOKED));
        assertEquals("MPI_ERR_PROC_FAILED: a rank has failed", MPI.getErrorString(MPI.ERR_PROC_FAILED));
        assertEquals("MPI_ERR_PROC_FAILED_PENDING: a possible sender has failed, and the request is still active",
            MPI.getErrorString(MPI.ERR_PROC_FAILED_PENDING));
    }

    private static Grequest failing(final int errorClass) throws MPIException {
        final Grequest request = Grequest.start((state, status) -> {
            throw new MPIException(errorClass, "told by the program");
        }, state -> {}, (state, complete) -> {}, null);
        request.complete();
        return request;
    }

    private static void requests() throws MPIException {
        final Request one = failing(MPI.ERR_REVOKED);
        HEARD.clear();
        final RevokedException revoked = assertThrows(RevokedException.class, one::waitFor);
        assertEquals(List.of(revoked), HEARD);
        final MPIException all = assertThrows(MPIException.class,
            () -> Request.waitAll(new Request[] {failing(MPI.ERR_PROC_FAILED), MPI.REQUEST_NULL, failing(MPI.ERR_REVOKED)}));
        assertSame(MPIException.class, all.getClass());
        assertEquals(MPI.ERR_IN_STATUS, all.getErrorClass());
        assertInstanceOf(ProcessFailedException.class, all.getCause());
        assertInstanceOf(RevokedException.class, all.getCause().getSuppressed()[0]);
        final Status[] statuses = all.getStatuses();
        assertEquals(MPI.ERR_PROC_FAILED, statuses[0].getError());
        assertEquals(MPI.SUCCESS, statuses[1].getError());
        assertEquals(MPI.ERR_REVOKED, statuses[2].getError());
    }
}
