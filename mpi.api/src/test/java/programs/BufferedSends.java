package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.FutureTask;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;

/** Buffered sends from rank 0 to rank 1, which receives late. */
public final class BufferedSends {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static final int LARGE = 300_000;
    private static int rank;

    private BufferedSends() {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        without();
        eager();
        tooManyEager();
        space();
        sendsItself();
        detachedByAnotherThread();
        leftForFinalize();
    }

    private static void without() throws MPIException {
        final String need = "buffered send without a buffer: need=" + (4 * LARGE + 128) + " bytes (message=" + 4 * LARGE
            + ", overhead=128): attach one with MPI.attachBuffer first";
        final int[] large = new int[LARGE];
        refused(need, () -> WORLD.bSend(large, LARGE, MPI.INT, 0, 0));
        refused(need, () -> WORLD.ibSend(large, (long) LARGE, MPI.INT, 0, 0));
        final Prequest persistent = WORLD.bSendInit(large, (long) LARGE, MPI.INT, 0, 0);
        refused(need, persistent::start);
        assertTrue(persistent.test());
        persistent.free();
        // one byte more than an eager message has
        refused("buffered send without a buffer: need=8321 bytes", () -> WORLD.bSend(new byte[8193], 8193, MPI.BYTE, 0, 0));
        WORLD.bSend(new int[1], 1, MPI.INT, MPI.PROC_NULL, 0);
        refused("no buffer is attached", MPI::detachBuffer);
        refused("buffer is null", () -> MPI.attachBuffer(null));
        final byte[] none = new byte[0];
        MPI.attachBuffer(none);
        refused("no room for a buffered send: need=8321 bytes (message=8193, overhead=128), free=0, attached=0: ",
            () -> WORLD.bSend(new byte[8193], 8193, MPI.BYTE, 0, 0));
        refused("a buffer is attached already: bytes=0", () -> MPI.attachBuffer(new byte[9]));
        assertSame(none, MPI.detachBuffer());
    }

    private static void refused(final String message, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(MPI.ERR_BUFFER, e.getErrorClass());
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }

    /** Messages of up to 8 KiB are sent without a buffer, blocking, nonblocking and persistent; the program may reuse its memory. */
    private static void eager() throws MPIException {
        final byte[] data = new byte[8192];
        if (rank == 0) {
            Arrays.fill(data, (byte) 1);
            WORLD.bSend(data, data.length, MPI.BYTE, 1, 1);
            Arrays.fill(data, (byte) 2);
            WORLD.ibSend(data, (long) data.length, MPI.BYTE, 1, 2).waitFor();
            final Prequest send = WORLD.bSendInit(data, 5L, MPI.BYTE, 1, 3);
            for (int i = 3; i < 6; i++) {
                Arrays.fill(data, (byte) i);
                send.start();
                send.waitFor();
            }
            send.free();
            WORLD.bSend(data, 0, MPI.BYTE, 1, 4);
            Arrays.fill(data, (byte) -1);
        }
        WORLD.barrier();
        if (rank == 1) {
            WORLD.recv(data, 0, MPI.BYTE, 0, 4);
            for (int i = 5; i > 0; i--) {
                // in the order of sending where tags are equal
                final int expected = i > 2 ? 8 - i : i;
                assertEquals(i > 2 ? 5 : 8192, WORLD.recv(data, data.length, MPI.BYTE, 0, Math.min(i, 3)).getCount(MPI.BYTE));
                assertEquals(expected, data[0]);
                assertEquals(expected, data[4]);
            }
        }
    }

    /** Where the receiver does not receive, only so many messages are taken; others use the attached buffer, or are refused. */
    private static void tooManyEager() throws MPIException {
        final byte[] data = new byte[8192];
        final int[] sent = new int[1];
        if (rank == 0) {
            sent[0] = sendUntilRefused(data, "buffered send without a buffer: need=8320");
            MPI.attachBuffer(new byte[data.length + MPI.BSEND_OVERHEAD]);
            sent[0] += sendUntilRefused(data, "no room for a buffered send: need=8320 bytes (message=8192, overhead=128), free=0, attached=8320: ");
        }
        WORLD.bcast(sent, 1, MPI.INT, 0);
        for (int i = 0; rank == 1 && i < sent[0]; i++) {
            WORLD.recv(data, data.length, MPI.BYTE, 0, 6);
        }
        if (rank == 0) {
            MPI.detachBuffer();
        }
        WORLD.barrier();
    }

    private static int sendUntilRefused(final byte[] data, final String message) {
        for (int sent = 0; sent < 100_000; sent++) {
            try {
                WORLD.bSend(data, data.length, MPI.BYTE, 1, 6);
            } catch (final MPIException e) {
                assertEquals(MPI.ERR_BUFFER, e.getErrorClass());
                assertTrue(e.getMessage().startsWith(message), e.getMessage());
                return sent;
            }
        }
        throw new AssertionError("all messages were taken");
    }

    /** Three large messages and a small one fit until they are received, and no more. */
    private static void space() throws MPIException {
        final int bytes = 4 * LARGE + MPI.BSEND_OVERHEAD;
        for (int round = 0; round < 3; round++) {
            if (rank == 0) {
                final byte[] buffer = new byte[3 * bytes + 1000];
                MPI.attachBuffer(buffer);
                final int[] data = new int[LARGE];
                for (int i = 0; i < 3; i++) {
                    Arrays.fill(data, 10 * round + i);
                    if (i == 1) {
                        WORLD.ibSend(data, (long) LARGE, MPI.INT, 1, i).waitFor();
                    } else {
                        WORLD.bSend(data, LARGE, MPI.INT, 1, i);
                    }
                }
                // the program may reuse its memory
                Arrays.fill(data, -1);
                refused("no room for a buffered send: need=" + bytes + " bytes (message=" + 4 * LARGE + ", overhead=128), free=1000, attached="
                    + buffer.length + ": attach a larger buffer with MPI.attachBuffer, or send less", () -> WORLD.bSend(data, LARGE, MPI.INT, 1, 9));
                WORLD.send(new int[0], 0, MPI.INT, 1, 8);
                assertSame(buffer, MPI.detachBuffer());
                // this message says that all have been received
                WORLD.send(new int[0], 0, MPI.INT, 1, 7);
            } else {
                final int[] got = new int[LARGE];
                WORLD.recv(got, 0, MPI.INT, 0, 8);
                assertEquals(null, WORLD.iProbe(0, 7));
                for (int i = 2; i >= 0; i--) {
                    WORLD.recv(got, LARGE, MPI.INT, 0, i);
                    assertEquals(10 * round + i, got[0]);
                    assertEquals(10 * round + i, got[LARGE - 1]);
                    if (i > 0) {
                        assertEquals(null, WORLD.iProbe(0, 7));
                    }
                }
                WORLD.recv(got, 0, MPI.INT, 0, 7);
            }
        }
    }

    private static void sendsItself() throws MPIException {
        // the last message may leave the buffer just after it was received
        MPI.attachBuffer(new byte[3 * (4 * LARGE + MPI.BSEND_OVERHEAD)]);
        final int[] value = new int[LARGE];
        final int[] got = new int[LARGE];
        final Prequest send = WORLD.bSendInit(value, (long) LARGE, MPI.INT, rank, 3);
        for (int i = 0; i < 10; i++) {
            value[0] = i;
            send.start();
            send.waitFor();
            value[0] = 1000 + i;
            // active again while the first message is pending: the buffer has both
            send.start();
            send.waitFor();
            WORLD.recv(got, LARGE, MPI.INT, rank, 3);
            assertEquals(i, got[0]);
            WORLD.recv(got, LARGE, MPI.INT, rank, 3);
            assertEquals(1000 + i, got[0]);
        }
        send.free();
        MPI.detachBuffer();
    }

    /** A thread detaches the buffer while it has a message, which is received later. */
    private static void detachedByAnotherThread() throws Exception {
        MPI.attachBuffer(new byte[4 * LARGE + MPI.BSEND_OVERHEAD]);
        MPI.COMM_SELF.bSend(new int[LARGE], LARGE, MPI.INT, 0, 5);
        final FutureTask<byte[]> detached = new FutureTask<>(MPI::detachBuffer);
        final Thread detaching = new Thread(detached);
        detaching.setDaemon(true);
        detaching.start();
        String message = null;
        while (message == null || message.startsWith("a buffer is attached already")) {
            // the thread has not begun to detach
            message = assertThrows(MPIException.class, () -> MPI.attachBuffer(new byte[1])).getMessage();
        }
        assertTrue(message.startsWith("a buffer is being detached by another thread"), message);
        MPI.COMM_SELF.recv(new int[LARGE], LARGE, MPI.INT, 0, 5);
        assertEquals(4 * LARGE + MPI.BSEND_OVERHEAD, detached.get().length);
    }

    /** Finalize waits for the message. */
    private static void leftForFinalize() throws MPIException {
        WORLD.barrier();
        if (rank == 0) {
            MPI.attachBuffer(new byte[4 * LARGE + MPI.BSEND_OVERHEAD]);
            WORLD.bSend(new int[LARGE], LARGE, MPI.INT, 1, 1);
        } else {
            final int[] got = new int[LARGE];
            Arrays.fill(got, 1);
            final Request receive = WORLD.iRecv(got, (long) LARGE, MPI.INT, 0, 1);
            assertEquals(LARGE, receive.waitStatus().getCount(MPI.INT));
            assertEquals(0, got[LARGE - 1]);
        }
    }
}
