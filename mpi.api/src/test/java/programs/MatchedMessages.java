package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Request;
import mpi.Status;

/** Matched probes and receives, from rank 1 to rank 0, of messages of all sizes: unexpected data, rendezvous, and data in the sender's memory. */
public final class MatchedMessages {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static final int[] SIZES = {0, 1, 100, 2048, 2049, 5000, 20_000, 500_000};
    private static int rank;

    private MatchedMessages() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        nulls();
        dropped();
        sizes();
        belongsToOne();
        waiting();
        errors();
        neverReceived();
    }

    private static void nulls() throws MPIException {
        final Message message = new Message();
        assertTrue(message.isNull());
        assertFalse(message.isNoProc());
        assertEquals(MPI.ERR_REQUEST, assertThrows(MPIException.class, () -> message.mRecv(new int[1], 1, MPI.INT)).getErrorClass());
        assertNull(message.imProbe(MPI.ANY_SOURCE, 7, WORLD));
        assertTrue(message.isNull());
        for (int i = 0; i < 2; i++) {
            final Status status = i == 0 ? message.mProbe(MPI.PROC_NULL, 1, WORLD) : message.imProbe(MPI.PROC_NULL, 1, WORLD);
            assertEquals(MPI.PROC_NULL, status.getSource());
            assertEquals(MPI.ANY_TAG, status.getTag());
            assertTrue(message.isNoProc());
            assertFalse(message.isNull());
            final Status received = i == 0 ? message.mRecv(new int[1], 1, MPI.INT) : message.imRecv(MPI.newIntBuffer(1), 1, MPI.INT).waitStatus();
            assertEquals(MPI.PROC_NULL, received.getSource());
            assertEquals(0, received.getCount(MPI.INT));
            assertTrue(message.isNull());
            assertFalse(message.isNoProc());
        }
    }

    /** Freeing a matched message completes its send, also between nodes and for a long message; a null message is freed without effect. */
    private static void dropped() throws MPIException {
        final Message message = new Message();
        message.free();
        for (final int size : new int[] {0, 5, 300_000}) {
            if (WORLD.getRank() == 0) {
                WORLD.sSend(data(size), size, MPI.INT, 1, 9);
            } else {
                message.mProbe(0, 9, WORLD);
                message.free();
                message.free();
                assertTrue(message.isNull());
            }
        }
        message.mProbe(MPI.PROC_NULL, 1, WORLD);
        message.free();
        assertFalse(message.isNoProc());
    }

    private static int[] data(final int size) {
        final int[] data = new int[size];
        Arrays.setAll(data, i -> 31 * i + size);
        return data;
    }

    private static void sizes() throws MPIException {
        for (int mode = 0; mode < 2; mode++) {
            for (int s = 0; s < SIZES.length; s++) {
                if (rank == 1) {
                    final Request send = WORLD.iSend(data(SIZES[s]), (long) SIZES[s], MPI.INT, 0, s);
                    WORLD.send(new int[0], 0, MPI.INT, 0, 100);
                    send.waitFor();
                } else {
                    // whether the message has arrived already or arrives later
                    if (mode == 0) {
                        WORLD.recv(new int[0], 0, MPI.INT, 1, 100);
                    }
                    receive(s);
                    if (mode == 1) {
                        WORLD.recv(new int[0], 0, MPI.INT, 1, 100);
                    }
                }
            }
            WORLD.barrier();
        }
    }

    private static void receive(final int s) throws MPIException {
        final Message message = new Message();
        final Status status = message.mProbe(MPI.ANY_SOURCE, s, WORLD);
        assertEquals(1, status.getSource());
        assertEquals(s, status.getTag());
        assertEquals(SIZES[s], status.getCount(MPI.INT));
        assertFalse(message.isNull());
        assertFalse(message.isNoProc());
        final int[] got = new int[SIZES[s]];
        final Status received = s % 2 == 0 ? message.mRecv(got, got.length, MPI.INT)
            : message.imRecv(got, (long) got.length, MPI.INT).waitStatus();
        assertTrue(message.isNull());
        assertEquals(1, received.getSource());
        assertEquals(s, received.getTag());
        assertEquals(SIZES[s], received.getCount(MPI.INT));
        assertArrayEquals(data(SIZES[s]), got);
    }

    private static void belongsToOne() throws MPIException {
        if (rank == 1) {
            for (int i = 0; i < 3; i++) {
                WORLD.send(new int[] {i}, 1, MPI.INT, 0, 5);
            }
        } else {
            final Message first = new Message();
            final Message second = new Message();
            first.mProbe(1, 5, WORLD);
            Status status = second.imProbe(1, 5, WORLD);
            while (status == null) {
                status = second.imProbe(1, 5, WORLD);
            }
            final int[] got = new int[1];
            WORLD.recv(got, 1, MPI.INT, 1, 5);
            assertEquals(2, got[0]);
            assertNull(WORLD.iProbe(1, 5));
            second.mRecv(got, 1, MPI.INT);
            assertEquals(1, got[0]);
            first.mRecv(got, 1, MPI.INT);
            assertEquals(0, got[0]);
        }
        WORLD.barrier();
    }

    /** Several messages are matched, and received in another order, while other messages are exchanged. */
    private static void waiting() throws MPIException {
        final int n = 40;
        if (rank == 1) {
            final Request[] sends = new Request[n];
            for (int i = 0; i < n; i++) {
                sends[i] = WORLD.iSend(data(SIZES[i % SIZES.length]), (long) SIZES[i % SIZES.length], MPI.INT, 0, i);
            }
            Request.waitAll(sends);
        } else {
            final Message[] taken = new Message[n];
            for (int i = 0; i < n; i++) {
                taken[i] = new Message();
                taken[i].mProbe(1, MPI.ANY_TAG, WORLD);
            }
            final Request[] receives = new Request[n];
            final int[][] got = new int[n][];
            for (int i = n - 1; i >= 0; i--) {
                got[i] = new int[SIZES[i % SIZES.length]];
                receives[i] = taken[i].imRecv(got[i], (long) got[i].length, MPI.INT);
            }
            Request.waitAll(receives);
            for (int i = 0; i < n; i++) {
                assertArrayEquals(data(got[i].length), got[i]);
            }
        }
        WORLD.barrier();
    }

    private static void errors() throws MPIException {
        for (final int size : new int[] {3, 100_000}) {
            if (rank == 1) {
                WORLD.send(data(size), size, MPI.INT, 0, 1);
                WORLD.send(data(size), size, MPI.INT, 0, 1);
            } else {
                final Message message = new Message();
                message.mProbe(1, 1, WORLD);
                final MPIException again = assertThrows(MPIException.class, () -> message.mProbe(1, 1, WORLD));
                assertEquals(MPI.ERR_REQUEST, again.getErrorClass());
                final int[] small = new int[2];
                assertEquals(MPI.ERR_BUFFER, assertThrows(MPIException.class, () -> message.mRecv(small, size, MPI.INT)).getErrorClass());
                assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, () -> message.mRecv(small, 2, MPI.INT)).getErrorClass());
                assertArrayEquals(Arrays.copyOf(data(size), 2), small);
                assertTrue(message.isNull());
                message.mProbe(1, 1, WORLD);
                final Request request = message.imRecv(small, 2L, MPI.INT);
                assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, request::waitFor).getErrorClass());
            }
        }
        final Message message = new Message();
        assertEquals(MPI.ERR_RANK, assertThrows(MPIException.class, () -> message.mProbe(9, 1, WORLD)).getErrorClass());
        assertEquals(MPI.ERR_COMM, assertThrows(MPIException.class, () -> message.mProbe(9, 1, null)).getErrorClass());
        WORLD.barrier();
    }

    /** A message is matched and never received: neither the sender nor Finalize waits for ever. */
    private static void neverReceived() throws MPIException {
        if (rank == 1) {
            MPI.attachBuffer(new byte[2_000_000]);
            WORLD.send(data(10), 10, MPI.INT, 0, 1);
            WORLD.bSend(data(400_000), 400_000, MPI.INT, 0, 1);
            WORLD.send(data(400_000), 400_000, MPI.INT, 0, 1);
        } else {
            for (int i = 0; i < 3; i++) {
                new Message().mProbe(1, 1, WORLD);
            }
        }
    }
}
