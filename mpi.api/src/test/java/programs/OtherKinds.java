package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.LongBuffer;
import mpi.Comm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** Arrays and buffers of another primitive kind than the datatype, whose memory is taken as it is. */
public final class OtherKinds {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int size;

    private OtherKinds() {}

    /** Runs the program, in a job that does not compare kinds. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        size = WORLD.getSize();
        messages();
        collectives();
        local();
    }

    private static long bits(final double value) {
        return Double.doubleToRawLongBits(value);
    }

    private static void messages() throws MPIException {
        final int next = (rank + 1) % size;
        final int previous = (rank + size - 1) % size;
        final long[] got = new long[2];
        WORLD.sendRecv(new double[] {rank, 0.5}, 2, MPI.DOUBLE, next, 0, got, 2, MPI.DOUBLE, previous, 0);
        assertArrayEquals(new long[] {bits(previous), bits(0.5)}, got);
        // half as many longs as ints
        final int[] ints = {rank, 1, 2, 3};
        final LongBuffer longs = MPI.newLongBuffer(2);
        final Request receive = WORLD.iRecv(longs, 4, MPI.INT, previous, 1);
        WORLD.send(ints, 2, MPI.LONG, next, 1);
        assertEquals(4, receive.waitStatus().getCount(MPI.INT));
        final int[] back = new int[4];
        WORLD.sendRecv(longs, 2, MPI.LONG, next, 2, back, 2, MPI.LONG, previous, 2);
        final int beforePrevious = (rank + 2 * size - 2) % size;
        assertArrayEquals(new int[] {beforePrevious, 1, 2, 3}, back);
        // an array of booleans has a byte for each
        final boolean[] flags = new boolean[4];
        WORLD.sendRecv(new byte[] {1, 0, 0, 1}, 4, MPI.BYTE, next, 3, flags, 1, MPI.INT, previous, 3);
        assertArrayEquals(new boolean[] {true, false, false, true}, flags);
    }

    private static void collectives() throws MPIException {
        final long[] sum = {bits(rank + 0.5), bits(1)};
        WORLD.allReduce(sum, 2, MPI.DOUBLE, MPI.SUM);
        assertEquals(size * (size - 1) / 2.0 + size * 0.5, Double.longBitsToDouble(sum[0]));
        assertEquals(size, Double.longBitsToDouble(sum[1]));
        final int[] counts = new int[size];
        final int[] displs = new int[size];
        for (int i = 0; i < size; i++) {
            counts[i] = 1;
            displs[i] = i;
        }
        final float[] all = new float[size];
        WORLD.allGatherv(new int[] {Float.floatToRawIntBits(rank)}, 1, MPI.INT, all, counts, displs, MPI.INT);
        for (int i = 0; i < size; i++) {
            assertEquals(i, all[i]);
        }
        final char[] letters = new char[size];
        WORLD.iGather(new short[] {(short) ('a' + rank)}, 1L, MPI.CHAR, letters, 1L, MPI.CHAR, 0).waitFor();
        assertEquals(rank == 0 ? "abcdefgh".substring(0, size) : "\0".repeat(size), new String(letters));
    }

    private static void local() throws MPIException {
        final long[] inOut = {bits(2.5)};
        Comm.reduceLocal(new long[] {bits(1.25)}, inOut, 1, MPI.DOUBLE, MPI.SUM);
        assertEquals(3.75, Double.longBitsToDouble(inOut[0]));
        final byte[] packed = new byte[8];
        WORLD.pack(inOut, 1, MPI.DOUBLE, packed, 0);
        final int[] halves = new int[2];
        WORLD.unpack(packed, 0, halves, 1, MPI.LONG);
        assertEquals(inOut[0], Integer.toUnsignedLong(halves[0]) | (long) halves[1] << 32);
        final long[] swapped = {bits(rank)};
        WORLD.sendRecvReplace(swapped, 1, MPI.DOUBLE, rank, 4, rank, 4);
        assertEquals(bits(rank), swapped[0]);
    }
}
