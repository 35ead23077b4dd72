package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import mpi.Comm;
import mpi.Datatype;
import mpi.DoubleInt;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.UserFunction;

/** User operations written for arrays, for buffers and for both. */
public final class UserFunctions {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int size;
    private static int rank;

    private UserFunctions() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        size = WORLD.getSize();
        rank = WORLD.getRank();
        arrays();
        buffers();
        booleans();
        derived();
        failing();
        locations();
    }

    /** Affine maps x -> a x + b as pairs of longs; chained in rank order, which is not commutative. */
    private static void arrays() throws MPIException {
        final Op chain = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                assertTrue(type == PAIR);
                final long[] f = (long[]) in;
                final long[] g = (long[]) inOut;
                for (int i = 0; i < 2 * count; i += 2) {
                    g[i + 1] += g[i] * f[i + 1];
                    g[i] *= f[i];
                }
            }
        }, false);
        final long[] mine = {rank + 2, rank + 1, 3, rank};
        final long[] all = new long[4];
        WORLD.allReduce(mine, all, 2, PAIR, chain);
        final long[] expected = {1, 0, 1, 0};
        for (int r = 0; r < size; r++) {
            expected[0] *= r + 2;
            expected[1] = expected[1] * (r + 2) + r + 1;
            expected[2] *= 3;
            expected[3] = expected[3] * 3 + r;
        }
        assertArrayEquals(expected, all);
        chain.free();
    }

    private static final Datatype PAIR = makePair();

    private static Datatype makePair() {
        try {
            final Datatype pair = Datatype.createContiguous(2, MPI.LONG);
            pair.commit();
            return pair;
        } catch (final MPIException e) {
            throw new AssertionError(e);
        }
    }

    private static void buffers() throws MPIException {
        final Op gcd = new Op(new UserFunction() {
            @Override
            public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) {
                assertTrue(type == MPI.INT);
                for (int i = 0; i < 4 * count; i += 4) {
                    int a = in.getInt(i);
                    int b = inOut.getInt(i);
                    while (b != 0) {
                        final int c = a % b;
                        a = b;
                        b = c;
                    }
                    inOut.putInt(i, a);
                }
            }
        }, true);
        final int n = 3000;
        final int[] data = new int[n];
        for (int i = 0; i < n; i++) {
            data[i] = (i + 1) * 6 * (rank + 1);
        }
        WORLD.allReduce(data, n, MPI.INT, gcd);
        for (int i = 0; i < n; i++) {
            assertEquals((i + 1) * 6, data[i]);
        }
        final var direct = MPI.newIntBuffer(1);
        direct.put(0, 10 * (rank + 1));
        WORLD.iAllReduce(direct, 1, MPI.INT, gcd).waitFor();
        assertEquals(10, direct.get(0));
    }

    private static void booleans() throws MPIException {
        final AtomicInteger calls = new AtomicInteger();
        final Op both = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                calls.incrementAndGet();
                final boolean[] a = (boolean[]) in;
                final boolean[] b = (boolean[]) inOut;
                for (int i = 0; i < count; i++) {
                    b[i] = a[i] ^ b[i];
                }
            }

            @Override
            public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) {
                for (int i = 0; i < count; i++) {
                    inOut.put(i, (byte) (in.get(i) + inOut.get(i)));
                }
            }
        }, true);
        final boolean[] flags = {true, rank == 0};
        WORLD.allReduce(flags, 2, MPI.BOOLEAN, both);
        assertArrayEquals(new boolean[] {size % 2 == 1, true}, flags);
        final byte[] bytes = {(byte) rank};
        final int before = calls.get();
        WORLD.allReduce(bytes, 1, MPI.BYTE, both);
        assertEquals(size * (size - 1) / 2, bytes[0]);
        assertEquals(before, calls.get());
    }

    /** Only every second int is data. */
    private static void derived() throws MPIException {
        final Datatype sparse = Datatype.createResized(MPI.INT, 0, 8);
        sparse.commit();
        final Op max = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inOut)[2 * i] = Math.max(((int[]) in)[2 * i], ((int[]) inOut)[2 * i]);
                }
            }
        }, true);
        final int[] data = {rank, -1, -rank, -1, 5, -1};
        WORLD.allReduce(data, 3, sparse, max);
        assertArrayEquals(new int[] {size - 1, -1, 0, -1, 5, -1}, data);
        Comm.reduceLocal(new int[] {9, 0, 9}, data, 2, sparse, max);
        assertArrayEquals(new int[] {9, -1, 9, -1, 5, -1}, data);
    }

    private static void failing() {
        final Op none = new Op(new UserFunction() {}, true);
        final MPIException e = assertThrows(MPIException.class, () -> Comm.reduceLocal(new int[1], new int[1], 1, MPI.INT, none));
        assertEquals(MPI.ERR_OP, e.getErrorClass());
        final Op broken = new Op(new UserFunction() {
            @Override
            public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) {
                throw new IllegalStateException("broken");
            }
        }, true);
        final MPIException wrapped = assertThrows(MPIException.class, () -> Comm.reduceLocal(new int[1], new int[1], 1, MPI.INT, broken));
        assertTrue(wrapped.getMessage().contains("broken"), wrapped.getMessage());
    }

    private static void locations() throws MPIException {
        final ByteBuffer buffer = MPI.newByteBuffer(2 * MPI.doubleInt.getExtent());
        for (int i = 0; i < 2; i++) {
            final DoubleInt.Data data = MPI.doubleInt.getData(buffer, i);
            data.putValue(i == 0 ? rank : 1.5);
            data.putIndex(rank);
        }
        WORLD.allReduce(buffer, 2, MPI.DOUBLE_INT, MPI.MAXLOC);
        final DoubleInt.Data first = MPI.doubleInt.getData(buffer);
        final DoubleInt.Data second = MPI.doubleInt.getData(buffer, 1);
        assertEquals(size - 1, first.getValue());
        assertEquals(size - 1, first.getIndex());
        assertEquals(1.5, second.getValue());
        assertEquals(0, second.getIndex());
    }
}
