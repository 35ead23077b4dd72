package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import mpi.Comm;
import mpi.Datatype;
import mpi.Int2;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Struct;
import mpi.UserFunction;

/** Every predefined operation on every predefined datatype, and user operations in both forms. On any number of ranks. */
public final class Operations {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final List<Op> BASIC = List.of(MPI.MAX, MPI.MIN, MPI.SUM, MPI.PROD, MPI.LAND, MPI.LOR, MPI.LXOR, MPI.BAND, MPI.BOR, MPI.BXOR);
    private static final List<Op> ALL = List.of(MPI.MAX, MPI.MIN, MPI.SUM, MPI.PROD, MPI.LAND, MPI.LOR, MPI.LXOR, MPI.BAND, MPI.BOR, MPI.BXOR,
        MPI.MINLOC, MPI.MAXLOC, MPI.REPLACE, MPI.NO_OP);
    private static int size;
    private static int rank;

    private Operations() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        size = WORLD.getSize();
        rank = WORLD.getRank();
        legal();
        integers();
        others();
        locations();
        notNumbers();
        matrices(true);
        matrices(false);
        refused();
        freed();
    }

    private static Object buffer(final Datatype type) {
        return type == MPI.BOOLEAN ? new boolean[1] : new byte[16];
    }

    private static void legal() throws MPIException {
        final List<Datatype> integers = List.of(MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG);
        final List<Datatype> pairs = List.of(MPI.INT2, MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT);
        allowed(integers, Set.copyOf(BASIC));
        allowed(List.of(MPI.FLOAT, MPI.DOUBLE), Set.of(MPI.MAX, MPI.MIN, MPI.SUM, MPI.PROD));
        allowed(List.of(MPI.FLOAT_COMPLEX, MPI.DOUBLE_COMPLEX), Set.of(MPI.SUM, MPI.PROD));
        allowed(List.of(MPI.BOOLEAN), Set.of(MPI.LAND, MPI.LOR, MPI.LXOR));
        allowed(pairs, Set.of(MPI.MINLOC, MPI.MAXLOC));
        allowed(List.of(MPI.PACKED, committed(Datatype.createContiguous(1, MPI.INT)), committed(Datatype.createVector(2, 1, 2, MPI.INT))), Set.of());
    }

    private static Datatype committed(final Datatype type) throws MPIException {
        type.commit();
        return type;
    }

    private static void allowed(final List<Datatype> types, final Set<Op> ops) throws MPIException {
        for (final Datatype type : types) {
            for (final Op op : ALL) {
                if (ops.contains(op)) {
                    Comm.reduceLocal(buffer(type), buffer(type), 1, type, op);
                    WORLD.allReduce(buffer(type), buffer(type), 1, type, op);
                    Comm.reduceLocal(buffer(type), buffer(type), 0, type.dup(), op);
                } else {
                    final MPIException local = assertThrows(MPIException.class,
                        () -> Comm.reduceLocal(buffer(type), buffer(type), 1, type, op), () -> op + " of " + type);
                    assertEquals(MPI.ERR_OP, local.getErrorClass());
                    final MPIException e = assertThrows(MPIException.class, () -> WORLD.allReduce(buffer(type), buffer(type), 1, type, op));
                    assertEquals(MPI.ERR_OP, e.getErrorClass());
                }
                assertEquals(op != MPI.REPLACE && op != MPI.NO_OP, op.isCommutative());
            }
        }
    }

    private static void integers() throws MPIException {
        // in the order of MOST; longs and bytes distinguish signed from unsigned
        final long[] a = {-7, -7, -7, -7, 0, 0, 3, 12, 12, 12};
        final long[] b = {5, 5, 5, 5, 4, 0, 9, 10, 10, 10};
        final long[] result = {5, -7, -2, -35, 0, 0, 0, 8, 14, 6};
        for (int i = 0; i < a.length; i++) {
            final Op op = BASIC.get(i);
            final long[] longs = {b[i]};
            Comm.reduceLocal(new long[] {a[i]}, longs, 1, MPI.LONG, op);
            assertEquals(result[i], longs[0], op.toString());
            final int[] ints = {(int) b[i]};
            Comm.reduceLocal(new int[] {(int) a[i]}, ints, 1, MPI.INT, op);
            assertEquals(result[i], ints[0], op.toString());
            final short[] shorts = {(short) b[i]};
            Comm.reduceLocal(new short[] {(short) a[i]}, shorts, 1, MPI.SHORT, op);
            assertEquals(result[i], shorts[0], op.toString());
            final char[] chars = {(char) b[i]};
            Comm.reduceLocal(new char[] {(char) a[i]}, chars, 1, MPI.CHAR, op);
            // unsigned: 65529 is the larger one
            assertEquals((char) (i == 0 ? -7 : i == 1 ? 5 : result[i]), chars[0], op.toString());
            final byte[] bytes = {(byte) b[i]};
            Comm.reduceLocal(new byte[] {(byte) a[i]}, bytes, 1, MPI.BYTE, op);
            assertEquals((byte) (i == 0 ? -7 : i == 1 ? 5 : result[i]), bytes[0], op.toString());
        }
    }

    private static void others() throws MPIException {
        final float[] floats = {2, -3};
        Comm.reduceLocal(new float[] {5, 7}, floats, 2, MPI.FLOAT, MPI.PROD);
        assertArrayEquals(new float[] {10, -21}, floats);
        final double[] complex = {1, 2, 3, 4};
        Comm.reduceLocal(new double[] {5, 6, 7, 8}, complex, 2, MPI.DOUBLE_COMPLEX, MPI.PROD);
        assertArrayEquals(new double[] {5 - 12, 10 + 6, 21 - 32, 28 + 24}, complex);
        final float[] sums = {1, 2, 3, 4};
        Comm.reduceLocal(new float[] {5, 6, 7, 8}, sums, 2, MPI.FLOAT_COMPLEX, MPI.SUM);
        assertArrayEquals(new float[] {6, 8, 10, 12}, sums);
        final boolean[] all = {true, true, false, false};
        final boolean[] with = {true, false, true, false};
        for (final Op op : new Op[] {MPI.LAND, MPI.LOR, MPI.LXOR}) {
            final boolean[] result = all.clone();
            Comm.reduceLocal(with, result, 4, MPI.BOOLEAN, op);
            assertArrayEquals(op == MPI.LAND ? new boolean[] {true, false, false, false} : op == MPI.LOR ? new boolean[] {true, true, true, false}
                : new boolean[] {false, true, true, false}, result);
        }
    }

    /** For equal values the lowest rank, whatever its position in the order of reduction. */
    private static void locations() throws MPIException {
        for (int lowest = 0; lowest < size; lowest++) {
            final int[] least = {rank >= lowest ? 1 : 2, rank, 5, size - rank};
            WORLD.allReduce(least, 2, MPI.INT2, MPI.MINLOC);
            assertArrayEquals(new int[] {1, lowest, 5, 1}, least);
            final byte[] most = new byte[MPI.shortInt.getExtent()];
            final ByteBuffer view = ByteBuffer.wrap(most).order(ByteOrder.nativeOrder());
            view.putShort(0, (short) (rank >= lowest ? 9 : -9)).putShort(2, (short) -1).putInt(4, rank);
            WORLD.allReduce(most, 1, MPI.SHORT_INT, MPI.MAXLOC);
            assertEquals(9, view.getShort(0));
            assertEquals(-1, view.getShort(2));
            assertEquals(lowest, view.getInt(4));
        }
        final Int2.Data data = MPI.int2.getData(MPI.newByteBuffer(8));
        data.putValue(-rank);
        data.putIndex(rank);
        WORLD.allReduce(data.getBuffer(), 1, MPI.int2.getType(), MPI.MINLOC);
        assertEquals(size - 1, data.getIndex());
    }

    /** NaN wins, and -0.0 is less than 0.0, as with Math.max and Math.min. */
    private static void notNumbers() throws MPIException {
        for (final Op op : new Op[] {MPI.MAX, MPI.MIN}) {
            final double[] values = {rank == size - 1 ? Double.NaN : rank, rank == 0 ? -0.0 : 0.0, rank};
            WORLD.allReduce(values, 3, MPI.DOUBLE, op);
            assertTrue(Double.isNaN(values[0]));
            assertEquals(op == MPI.MIN || size == 1 ? -0.0 : 0.0, values[1]);
            assertEquals(op == MPI.MIN ? 0 : size - 1, values[2]);
            final float[] floats = {rank == 0 ? Float.NaN : 1};
            WORLD.allReduce(floats, 1, MPI.FLOAT, op);
            assertTrue(Float.isNaN(floats[0]));
        }
    }

    /** Products of matrices of 2 x 2 longs with a gap behind them, in rank order. */
    private static void matrices(final boolean onArrays) throws MPIException {
        final Datatype matrix = Datatype.createResized(Datatype.createContiguous(4, MPI.LONG), 0, 40);
        matrix.commit();
        final Op product = new Op(onArrays ? new ArrayProduct() : new BufferProduct(), false);
        assertFalse(product.isCommutative());
        final int n = 3;
        final LongBuffer mine = MPI.newLongBuffer(5 * n).put(0, matrices(rank, n));
        final LongBuffer result = MPI.newLongBuffer(5 * n).put(0, gaps(n));
        WORLD.allReduce(mine, result, n, matrix, product);
        assertArrayEquals(product(0, size, n), content(result, n));
        result.put(0, gaps(n));
        WORLD.iScan(mine, result, n, matrix, product).waitFor();
        assertArrayEquals(product(0, rank + 1, n), content(result, n));
        final long[] inPlace = matrices(rank, n);
        WORLD.reduce(inPlace, n, matrix, product, size - 1);
        assertArrayEquals(rank == size - 1 ? product(0, size, n) : matrices(rank, n), inPlace);
        final long[] before = gaps(n);
        WORLD.exScan(matrices(rank, n), before, n, matrix, product);
        if (rank > 0) {
            assertArrayEquals(product(0, rank, n), before);
        }
        product.free();
        assertTrue(product.isNull());
    }

    private static long[] content(final LongBuffer buffer, final int n) {
        final long[] content = new long[5 * n];
        buffer.get(0, content);
        return content;
    }

    private static long[] gaps(final int n) {
        final long[] data = new long[5 * n];
        Arrays.fill(data, -1);
        return data;
    }

    private static long[] matrices(final int of, final int n) {
        final long[] data = gaps(n);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 4; k++) {
                data[5 * i + k] = of + i + k * k;
            }
        }
        return data;
    }

    private static long[] product(final int from, final int to, final int n) {
        final long[] all = matrices(from, n);
        for (int r = from + 1; r < to; r++) {
            final long[] right = matrices(r, n);
            for (int i = 0; i < n; i++) {
                multiply(all.clone(), right, all, 5 * i);
            }
        }
        return all;
    }

    private static void multiply(final long[] a, final long[] b, final long[] into, final int at) {
        for (int k = 0; k < 4; k++) {
            into[at + k] = a[at + k / 2 * 2] * b[at + k % 2] + a[at + k / 2 * 2 + 1] * b[at + 2 + k % 2];
        }
    }

    private static final class ArrayProduct extends UserFunction {
        @Override
        public void call(final Object in, final Object inOut, final int count, final Datatype type) throws MPIException {
            assertEquals(5, type.getExtent());
            final long[] b = (long[]) inOut;
            for (int i = 0; i < count; i++) {
                multiply((long[]) in, b.clone(), b, 5 * i);
            }
        }
    }

    private static final class BufferProduct extends UserFunction {
        @Override
        public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) {
            for (int i = 0; i < count; i++) {
                final long[] a = new long[4];
                final long[] b = new long[4];
                final long[] c = new long[4];
                for (int k = 0; k < 4; k++) {
                    a[k] = in.getLong(40 * i + 8 * k);
                    b[k] = inOut.getLong(40 * i + 8 * k);
                }
                multiply(a, b, c, 0);
                for (int k = 0; k < 4; k++) {
                    inOut.putLong(40 * i + 8 * k, c[k]);
                }
            }
        }
    }

    private static void refused() throws MPIException {
        final int[] same = new int[4];
        assertEquals(MPI.ERR_BUFFER, assertThrows(MPIException.class, () -> Comm.reduceLocal(same, same, 1, MPI.INT, MPI.SUM)).getErrorClass());
        final ByteBuffer memory = MPI.newByteBuffer(12);
        final MPIException e = assertThrows(MPIException.class,
            () -> Comm.reduceLocal(MPI.slice(memory, 4), memory, 2, MPI.INT, MPI.SUM));
        assertTrue(e.getMessage().startsWith("both operands are the same memory: count=2, type=INT"), e.getMessage());
        Comm.reduceLocal(MPI.slice(memory, 8), memory, 1, MPI.INT, MPI.SUM);
        final boolean[] flags = new boolean[1];
        assertThrows(MPIException.class, () -> Comm.reduceLocal(flags, flags, 1, MPI.BOOLEAN, MPI.LOR));
        Comm.reduceLocal(same, same, 0, MPI.INT, MPI.SUM);
        final Datatype two = committed(Datatype.createContiguous(2, MPI.INT));
        final MPIException derived = assertThrows(MPIException.class, () -> Comm.reduceLocal(new int[2], new int[2], 1, two, MPI.SUM));
        assertTrue(derived.getMessage().contains("use a user-defined operation"), derived.getMessage());
        final Op arrays = new Op(new ArrayProduct(), false);
        final Datatype odd = committed(Datatype.createHVector(2, 1, 6, MPI.INT));
        final MPIException entries = assertThrows(MPIException.class, () -> Comm.reduceLocal(new int[3], new int[3], 1, odd, arrays));
        assertTrue(entries.getMessage().contains("override call(ByteBuffer, "), entries.getMessage());
    }

    private static void freed() throws MPIException {
        final Op max = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype type) {
                for (int i = 0; i < count; i++) {
                    ((int[]) inOut)[i] = Math.max(((int[]) in)[i], ((int[]) inOut)[i]);
                }
            }
        }, true);
        final var data = MPI.newIntBuffer(1).put(0, rank);
        final var request = WORLD.iAllReduce(data, 1, MPI.INT, max);
        max.free();
        request.waitFor();
        assertEquals(size - 1, data.get(0));
        assertTrue(max.isNull());
        assertEquals(MPI.ERR_OP, assertThrows(MPIException.class, () -> WORLD.allReduce(new int[1], 1, MPI.INT, max)).getErrorClass());
        final Datatype empty = committed(Datatype.createContiguous(0, MPI.INT));
        final Op never = new Op(new UserFunction() {}, true);
        WORLD.allReduce(new int[0], new int[0], 5, empty, never);
        WORLD.reduceScatterBlock(new int[0], new int[0], 2, empty, never);
        WORLD.scan(new int[0], new int[0], 2, empty, never);
        Comm.reduceLocal(new int[0], new int[0], 2, empty, never);
        final Struct nothing = new Struct() {
            @Override
            protected Data newData() {
                return null;
            }
        };
        assertEquals(0, nothing.getType().getSize());
    }
}
