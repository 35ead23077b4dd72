package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Sends that are cancelled, from rank 0 to rank 1 and to itself; {@code MPI.COMM_WORLD} may be on one node or two. */
public final class CancelledSends {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static final int LARGE = 100_000;

    private CancelledSends() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        toItself();
        toTheOther();
        withoutAReceive();
        errors();
    }

    private static void toItself() throws MPIException {
        final int rank = WORLD.getRank();
        final int[] data = new int[LARGE];
        final Request large = WORLD.iSend(data, (long) LARGE, MPI.INT, rank, 1);
        final Request synchronous = WORLD.isSend(data, 1L, MPI.INT, rank, 2);
        large.cancel();
        synchronous.cancel();
        assertTrue(large.waitStatus().isCancelled());
        assertTrue(synchronous.waitStatus().isCancelled());
        assertNull(WORLD.iProbe(rank, MPI.ANY_TAG));
        final Prequest again = WORLD.sSendInit(data, 1L, MPI.INT, rank, 3);
        for (int i = 0; i < 3; i++) {
            again.start();
            again.cancel();
            assertTrue(again.waitStatus().isCancelled());
            again.start();
            final int[] got = new int[1];
            WORLD.recv(got, 1, MPI.INT, rank, 3);
            // too late: the message was received
            again.cancel();
            assertFalse(again.waitStatus().isCancelled());
        }
        again.free();
        // the receiver has a copy of the message: the send completes as usual
        final Request small = WORLD.iSend(data, 1L, MPI.INT, rank, 4);
        small.cancel();
        assertFalse(small.waitStatus().isCancelled());
        WORLD.recv(new int[1], 1, MPI.INT, rank, 4);
    }

    /** Receiver and sender agree on whether the message was cancelled. */
    private static void toTheOther() throws MPIException {
        for (int i = 0; i < 50; i++) {
            if (WORLD.getRank() == 0) {
                final int[] data = new int[LARGE];
                data[LARGE - 1] = i;
                final Request send = WORLD.iSend(data, (long) LARGE, MPI.INT, 1, 5);
                WORLD.send(new int[0], 0, MPI.INT, 1, 6);
                send.cancel();
                final boolean isCancelled = isCancelled(send);
                WORLD.send(new int[] {isCancelled ? 1 : 0}, 1, MPI.INT, 1, 7);
            } else {
                WORLD.recv(new int[0], 0, MPI.INT, 0, 6);
                final int[] got = new int[LARGE];
                final Request receive = i % 2 == 0 ? WORLD.iRecv(got, (long) LARGE, MPI.INT, 0, 5) : null;
                final int[] verdict = new int[1];
                if (receive == null) {
                    final Request verdictReceive = WORLD.iRecv(verdict, 1L, MPI.INT, 0, 7);
                    final Request late = WORLD.iRecv(got, (long) LARGE, MPI.INT, 0, 5);
                    verdictReceive.waitFor();
                    end(late, verdict[0], got, i);
                } else {
                    WORLD.recv(verdict, 1, MPI.INT, 0, 7);
                    end(receive, verdict[0], got, i);
                }
            }
            WORLD.barrier();
        }
    }

    private static void withoutAReceive() throws MPIException {
        if (WORLD.getRank() == 0) {
            final Request send = WORLD.isSend(new int[1], 1, MPI.INT, 1, 9);
            send.cancel();
            assertTrue(isCancelled(send));
        }
        WORLD.barrier();
        assertNull(WORLD.iProbe(MPI.ANY_SOURCE, 9));
    }

    private static boolean isCancelled(final Request send) throws MPIException {
        final Status status = send.waitStatus();
        assertTrue(send.isNull());
        return status.isCancelled();
    }

    private static void end(final Request receive, final int cancelled, final int[] got, final int round) throws MPIException {
        if (cancelled == 1) {
            receive.cancel();
            assertTrue(receive.waitStatus().isCancelled());
            assertEquals(0, got[LARGE - 1]);
        } else {
            assertEquals(LARGE, receive.waitStatus().getCount(MPI.INT));
            assertEquals(round, got[LARGE - 1]);
        }
    }

    private static void errors() throws MPIException {
        final int rank = WORLD.getRank();
        final int[] data = new int[4];
        // a call that is refused leaves no pending operation
        assertThrows(MPIException.class, () -> WORLD.sendRecv(data, 1, MPI.INT, 99, 0, data, 1, MPI.INT, rank, 0));
        assertThrows(MPIException.class, () -> WORLD.sendRecv(data, 9, MPI.INT, rank, 0, data, 1, MPI.INT, rank, 0));
        final Request receive = WORLD.iRecv(data, 1L, MPI.INT, rank, 0);
        WORLD.send(new int[] {5}, 1, MPI.INT, rank, 0);
        receive.waitFor();
        assertEquals(5, data[0]);
        final MPIException e = assertThrows(MPIException.class,
            () -> WORLD.sendRecv(data, 4, MPI.INT, rank, 0, new int[2], 2, MPI.INT, rank, 0));
        assertEquals(MPI.ERR_TRUNCATE, e.getErrorClass());
        assertThrows(MPIException.class, MPI.REQUEST_NULL::cancel);
        final Status noProc = WORLD.sendRecvReplace(data, 4, MPI.INT, MPI.PROC_NULL, 0, MPI.PROC_NULL, 0);
        assertEquals(MPI.PROC_NULL, noProc.getSource());
        assertEquals(5, data[0]);
        assertEquals(MPI.PROC_NULL, WORLD.probe(MPI.PROC_NULL, 0).getSource());
        assertEquals(MPI.PROC_NULL, WORLD.iProbe(MPI.PROC_NULL, 0).getSource());
        assertEquals(MPI.PROC_NULL, WORLD.iRecv(data, 4L, MPI.INT, MPI.PROC_NULL, MPI.ANY_TAG).waitStatus().getSource());
        assertEquals(0, WORLD.iSend(data, 4L, MPI.INT, MPI.PROC_NULL, 0).waitStatus().getCount(MPI.INT));
    }
}
