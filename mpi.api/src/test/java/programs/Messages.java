package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.Comm;
import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/** Messages from each rank to the next one in the ring. */
public final class Messages {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int next;
    private static int previous;

    private Messages() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int size = WORLD.getSize();
        rank = WORLD.getRank();
        next = (rank + 1) % size;
        previous = (rank + size - 1) % size;
        MPI.attachBuffer(new byte[3 * (24 + MPI.BSEND_OVERHEAD)]);
        modes();
        exchanges();
        pendingExchanges();
        probes();
        types();
        packs();
        local();
        errors();
    }

    private static void modes() throws MPIException {
        for (int mode = 0; mode < 4; mode++) {
            final int[] data = {rank, mode};
            final int[] got = new int[4];
            if (mode == 3) {
                // a ready send requires that its receive was posted
                final var receive = WORLD.iRecv(IntBuffer.wrap(got), 4, MPI.INT, previous, mode);
                WORLD.barrier();
                WORLD.rSend(data, 2, MPI.INT, next, mode);
                assertEquals(2, receive.waitStatus().getCount(MPI.INT));
            } else if (rank % 2 == 0) {
                send(mode, data);
                WORLD.recv(got, 4, MPI.INT, previous, mode);
            } else {
                WORLD.recv(got, 4, MPI.INT, previous, mode);
                send(mode, data);
            }
            assertArrayEquals(new int[] {previous, mode, 0, 0}, got);
        }
    }

    private static void send(final int mode, final int[] data) throws MPIException {
        switch (mode) {
            case 0 -> WORLD.send(data, 2, MPI.INT, next, mode);
            case 1 -> WORLD.bSend(data, 2, MPI.INT, next, mode);
            default -> {
                if (WORLD.getSize() % 2 == 0) {
                    WORLD.sSend(data, 2, MPI.INT, next, mode);
                } else {
                    // in a ring of odd length two neighbours send first
                    WORLD.bSend(data, 2, MPI.INT, next, mode);
                }
            }
        }
    }

    private static void exchanges() throws MPIException {
        final double[] mine = new double[1000];
        final double[] got = new double[1001];
        Arrays.fill(mine, rank + 0.5);
        final Status status = WORLD.sendRecv(mine, 1000, MPI.DOUBLE, next, 9, got, 1001, MPI.DOUBLE, MPI.ANY_SOURCE, MPI.ANY_TAG);
        assertEquals(previous, status.getSource());
        assertEquals(9, status.getTag());
        assertEquals(1000, status.getCount(MPI.DOUBLE));
        assertEquals(previous + 0.5, got[999]);
        assertEquals(0, got[1000]);
        WORLD.sendRecvReplace(mine, 1000, MPI.DOUBLE, next, 1, previous, 1);
        assertEquals(previous + 0.5, mine[0]);
        assertEquals(previous + 0.5, mine[999]);
        final Status noProc = WORLD.recv(mine, 1000, MPI.DOUBLE, MPI.PROC_NULL, 1);
        assertEquals(MPI.PROC_NULL, noProc.getSource());
        assertEquals(0, noProc.getCount(MPI.DOUBLE));
    }

    private static void pendingExchanges() throws MPIException {
        for (final int count : new int[] {0, 1, 1000, 200_000}) {
            final Request[] requests = new Request[3];
            final double[][] mine = new double[3][count];
            final double[][] got = new double[3][count + 1];
            for (int i = 0; i < 3; i++) {
                Arrays.fill(mine[i], rank + i);
                requests[i] = i == 0 ? WORLD.iSendRecv(mine[i], count, MPI.DOUBLE, next, i, got[i], count + 1, MPI.DOUBLE, MPI.ANY_SOURCE, i)
                    : i == 1 ? WORLD.iSendRecv(mine[i], (long) count, MPI.DOUBLE, next, i, got[i], count + 1L, MPI.DOUBLE, previous, i)
                    : WORLD.iSendRecvReplace(mine[i], count, MPI.DOUBLE, next, i, previous, MPI.ANY_TAG);
            }
            for (final int i : new int[] {2, 0, 1}) {
                final Status status = requests[i].waitStatus();
                assertEquals(previous, status.getSource());
                assertEquals(i, status.getTag());
                assertEquals(count, status.getCount(MPI.DOUBLE));
                assertTrue(requests[i].isNull());
                final double[] expected = new double[count + (i == 2 ? 0 : 1)];
                Arrays.fill(expected, 0, count, previous + i);
                assertArrayEquals(expected, i == 2 ? mine[i] : got[i]);
            }
        }
        final long[] one = {rank};
        final long[] other = new long[1];
        final Request toNobody = WORLD.iSendRecv(one, 1, MPI.LONG, MPI.PROC_NULL, 0, other, 1, MPI.LONG, rank, 7);
        final Request ofNobody = WORLD.iSendRecvReplace(one, 1L, MPI.LONG, rank, 7, MPI.PROC_NULL, 0);
        assertEquals(MPI.PROC_NULL, ofNobody.waitStatus().getSource());
        assertEquals(rank, toNobody.waitStatus().getSource());
        assertEquals(rank, other[0]);
        assertEquals(rank, one[0]);
        assertEquals(MPI.PROC_NULL, WORLD.iSendRecvReplace(one, 1, MPI.LONG, MPI.PROC_NULL, 0, MPI.PROC_NULL, 0).waitStatus().getSource());
        // such a request cannot be cancelled
        final Request truncated = WORLD.iSendRecv(new int[2], 2, MPI.INT, next, 8, new int[1], 1, MPI.INT, previous, 8);
        truncated.cancel();
        assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, truncated::waitFor).getErrorClass());
        assertTrue(truncated.isNull());
    }

    private static void probes() throws MPIException {
        assertNull(WORLD.iProbe(previous, 77));
        WORLD.barrier();
        WORLD.bSend(new long[] {1, 2, 3}, 3, MPI.LONG, next, 77);
        final Status status = WORLD.probe(MPI.ANY_SOURCE, 77);
        assertEquals(3, status.getCount(MPI.LONG));
        assertNotNull(WORLD.iProbe(status.getSource(), 77));
        final long[] got = new long[3];
        WORLD.recv(MPI.slice(got, 1), 2, MPI.LONG, MPI.PROC_NULL, 0);
        WORLD.recv(got, 3, MPI.LONG, status.getSource(), 77);
        assertArrayEquals(new long[] {1, 2, 3}, got);
    }

    private static void types() throws MPIException {
        final boolean[] flags = {true, false, rank % 2 == 0};
        final boolean[] gotFlags = new boolean[3];
        WORLD.sendRecv(flags, 3, MPI.BOOLEAN, next, 0, gotFlags, 3, MPI.BOOLEAN, previous, 0);
        assertArrayEquals(new boolean[] {true, false, previous % 2 == 0}, gotFlags);
        // a column of a matrix of 3 x 4 is received as a row
        final Datatype column = Datatype.createVector(3, 1, 4, MPI.INT);
        column.commit();
        final int[] matrix = new int[12];
        for (int i = 0; i < 12; i++) {
            matrix[i] = 100 * rank + i;
        }
        final int[] row = new int[3];
        final Status status = WORLD.sendRecv(MPI.slice(matrix, 1), 1, column, next, 0, row, 3, MPI.INT, previous, 0);
        assertArrayEquals(new int[] {100 * previous + 1, 100 * previous + 5, 100 * previous + 9}, row);
        assertEquals(1, status.getCount(column));
        column.free();
        final var pairs = MPI.newByteBuffer(2 * MPI.shortInt.getExtent());
        final mpi.ShortInt.Data second = MPI.shortInt.getData(pairs, 1);
        second.putValue((short) (rank + 3));
        second.putIndex(rank);
        WORLD.sendRecvReplace(pairs, 2, MPI.SHORT_INT, next, 0, previous, 0);
        assertEquals(previous + 3, second.getValue());
        assertEquals(previous, second.getIndex());
    }

    private static void packs() throws MPIException {
        final byte[] packed = new byte[WORLD.packSize(3, MPI.INT) + WORLD.packSize(1, MPI.DOUBLE)];
        assertEquals(20, packed.length);
        int at = WORLD.pack(new int[] {1, 2, rank}, 3, MPI.INT, packed, 0);
        at = WORLD.pack(new double[] {rank / 2.0}, 1, MPI.DOUBLE, packed, at);
        assertEquals(20, at);
        WORLD.sendRecvReplace(packed, 20, MPI.PACKED, next, 0, previous, 0);
        final int[] ints = new int[3];
        final double[] doubles = new double[1];
        at = WORLD.unpack(packed, 0, ints, 3, MPI.INT);
        at = WORLD.unpack(packed, at, doubles, 1, MPI.DOUBLE);
        assertEquals(20, at);
        assertArrayEquals(new int[] {1, 2, previous}, ints);
        assertEquals(previous / 2.0, doubles[0]);
        final MPIException full = assertThrows(MPIException.class, () -> WORLD.pack(ints, 3, MPI.INT, packed, 10));
        assertEquals(MPI.ERR_TRUNCATE, full.getErrorClass());
        assertEquals("packed buffer too small: need=12, have=10 bytes (position=10, size=20) [pack on MPI_COMM_WORLD, rank " + rank + " of "
            + WORLD.getSize() + "]", full.getMessage());
    }

    private static void local() throws MPIException {
        final int[] sum = {1, 2, 3};
        Comm.reduceLocal(new int[] {10, 20, 30}, sum, 3, MPI.INT, MPI.SUM);
        assertArrayEquals(new int[] {11, 22, 33}, sum);
        final boolean[] any = {true, false};
        Comm.reduceLocal(new boolean[] {false, false}, any, 2, MPI.BOOLEAN, MPI.LOR);
        assertArrayEquals(new boolean[] {true, false}, any);
        assertEquals(MPI.ERR_OP, assertThrows(MPIException.class,
            () -> Comm.reduceLocal(new double[1], new double[1], 1, MPI.DOUBLE, MPI.BAND)).getErrorClass());
    }

    private static void errors() {
        final int size = 5;
        final int[] data = new int[size];
        assertEquals(MPI.ERR_RANK, assertThrows(MPIException.class, () -> WORLD.send(data, 1, MPI.INT, 99, 0)).getErrorClass());
        assertEquals(MPI.ERR_TAG, assertThrows(MPIException.class, () -> WORLD.send(data, 1, MPI.INT, 0, -5)).getErrorClass());
        assertEquals(MPI.ERR_COUNT, assertThrows(MPIException.class, () -> WORLD.send(data, -1, MPI.INT, 0, 0)).getErrorClass());
        assertEquals(MPI.ERR_BUFFER, assertThrows(MPIException.class, () -> WORLD.send(data, 6, MPI.INT, 0, 0)).getErrorClass());
        assertEquals(MPI.ERR_BUFFER, assertThrows(MPIException.class, () -> WORLD.recv("text", 1, MPI.INT, 0, 0)).getErrorClass());
        assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, () -> WORLD.send(data, 1, null, 0, 0)).getErrorClass());
        final MPIException e = assertThrows(MPIException.class, () -> WORLD.bcast(data, 1, MPI.INT, 7));
        assertEquals(MPI.ERR_ROOT, e.getErrorClass());
        assertEquals(MPI.ERR_OP, assertThrows(MPIException.class, () -> WORLD.allReduce(data, 1, MPI.INT, null)).getErrorClass());
    }
}
