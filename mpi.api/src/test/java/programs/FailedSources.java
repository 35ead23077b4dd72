package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import mpi.Comm;
import mpi.Group;
import mpi.MPI;
import mpi.MPIException;
import mpi.ProcessFailedException;
import mpi.Request;
import mpi.Status;
import org.junit.jupiter.api.function.Executable;
import tutti.runtime.FaultyRanks;

/** Receives from any source, of which one has failed: they are pending until the failure is acknowledged. On three ranks or more. */
public final class FailedSources {
    private static final int TAG = 5;

    private FailedSources() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final Comm world = MPI.COMM_WORLD;
        world.setErrhandler(MPI.ERRORS_RETURN);
        final int left = world.getSize() - 1;
        final int self = world.getRank();
        if (self == left) {
            throw new FaultyRanks.Died();
        }
        final int[] first = new int[1];
        final Request any = world.iRecv(first, 1L, MPI.INT, MPI.ANY_SOURCE, TAG);
        pending(any::waitFor);
        assertFalse(any.isNull());
        final int next = (self + 1) % left;
        final int before = (self + left - 1) % left;
        final int[] late = new int[1];
        final Request both = world.iSendRecv(new int[] {self + 20}, 1, MPI.INT, next, TAG + 6, late, 1, MPI.INT, MPI.ANY_SOURCE, TAG + 5);
        pending(both::waitFor);
        assertFalse(both.isNull());
        pending(() -> {
            while (both.getStatus() == null) {
                Thread.onSpinWait();
            }
        });
        failed(() -> world.iSendRecv(new int[1], 1, MPI.INT, left, TAG, late, 1, MPI.INT, before, TAG));
        pending(() -> {
            while (!any.test()) {
                Thread.onSpinWait();
            }
        });
        pending(() -> {
            while (any.getStatus() == null) {
                Thread.onSpinWait();
            }
        });
        pending(() -> Request.waitAny(new Request[] {any, MPI.REQUEST_NULL}));
        assertFalse(any.isNull());
        failed(() -> world.recv(new int[1], 1, MPI.INT, MPI.ANY_SOURCE, TAG));
        failed(() -> world.probe(MPI.ANY_SOURCE, TAG));
        pending(() -> world.iProbe(MPI.ANY_SOURCE, TAG));
        failed(() -> world.recv(new int[1], 1, MPI.INT, left, TAG));
        failed(() -> world.send(new int[1], 1, MPI.INT, left, TAG));
        failed(() -> world.sSend(new int[1], 1, MPI.INT, left, TAG));
        assertEquals(1, world.ackFailed(1));
        assertFalse(any.test());
        assertFalse(both.test());
        assertFalse(world.iProbe(MPI.ANY_SOURCE, TAG + 1) != null);
        final int[] flag = {-1};
        world.agree(flag);
        world.send(new int[] {self}, 1, MPI.INT, next, TAG);
        world.send(new int[] {self + 30}, 1, MPI.INT, next, TAG + 5);
        assertEquals(before, both.waitStatus().getSource());
        assertEquals(before + 30, late[0]);
        assertTrue(both.isNull());
        world.recv(late, 1, MPI.INT, before, TAG + 6);
        assertEquals(before + 20, late[0]);
        final Status status = any.waitStatus();
        assertEquals(before, status.getSource());
        assertEquals(before, first[0]);
        assertTrue(any.isNull());
        world.send(new int[] {self + 10}, 1, MPI.INT, next, TAG);
        world.recv(first, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        assertEquals(before + 10, first[0]);
        final Request cancelled = world.iRecv(first, 1L, MPI.INT, MPI.ANY_SOURCE, TAG);
        cancelled.cancel();
        assertTrue(cancelled.waitStatus().isCancelled());
    }

    private static void pending(final Executable call) throws MPIException {
        check(MPI.ERR_PROC_FAILED_PENDING, call);
    }

    private static void failed(final Executable call) throws MPIException {
        check(MPI.ERR_PROC_FAILED, call);
    }

    private static void check(final int errorClass, final Executable call) throws MPIException {
        final ProcessFailedException e = assertThrows(ProcessFailedException.class, call);
        assertEquals(errorClass, e.getErrorClass(), e::getMessage);
        final Group lost = e.getFailed();
        assertEquals(1, lost.getSize());
        assertEquals(MPI.COMM_WORLD.getSize() - 1, Group.translateRanks(lost, new int[] {0}, MPI.COMM_WORLD.getGroup())[0]);
    }
}
