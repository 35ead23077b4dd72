package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.Count;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/**
 * Derived datatypes in all calls that transfer messages, and the methods of datatypes. Every rank sends to the next one; a single rank to itself.
 */
public final class Types {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final int CANARY = -77;
    private static int next;
    private static int previous;

    private Types() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        next = (WORLD.getRank() + 1) % WORLD.getSize();
        previous = (WORLD.getRank() + WORLD.getSize() - 1) % WORLD.getSize();
        allModes();
        persistent();
        replace();
        everyKind();
        partial();
        freedMeanwhile();
        packed();
        largeOnes();
        attributes();
        copies();
    }

    private static int[] filled(final int length) {
        final int[] data = new int[length];
        Arrays.fill(data, CANARY);
        return data;
    }

    /** Four columns of a matrix with rows of seven; sender and receiver use different datatypes, the receiver's with a gap between halves. */
    private static Datatype columns() throws MPIException {
        final Datatype type = Datatype.createVector(3, 4, 7, MPI.INT);
        type.commit();
        return type;
    }

    private static Datatype halves() throws MPIException {
        final Datatype type = Datatype.createIndexed(new int[] {6, 6}, new int[] {8, 1}, MPI.INT);
        type.commit();
        return type;
    }

    private static int[] matrix(final int from) {
        final int[] data = new int[21];
        Arrays.setAll(data, i -> 1000 * from + i);
        return data;
    }

    private static int[] asHalves(final int from) {
        final int[] columns = new int[12];
        Arrays.setAll(columns, i -> 1000 * from + i / 4 * 7 + i % 4);
        final int[] expected = filled(16);
        System.arraycopy(columns, 0, expected, 8, 6);
        System.arraycopy(columns, 6, expected, 1, 6);
        return expected;
    }

    private interface Send {
        void send(IntBuffer data, Datatype type) throws MPIException;
    }

    private static void allModes() throws MPIException {
        final Datatype columns = columns();
        final Datatype halves = halves();
        final IntBuffer mine = MPI.newIntBuffer(21).put(0, matrix(WORLD.getRank()));
        final List<Send> modes = List.of((b, t) -> WORLD.send(b, 1, t, next, 1), (b, t) -> WORLD.bSend(matrix(WORLD.getRank()), 1, t, next, 1),
            (b, t) -> WORLD.sSend(b, 1, t, next, 1), (b, t) -> WORLD.rSend(b, 1, t, next, 1), (b, t) -> WORLD.iSend(b, 1, t, next, 1).waitFor(),
            (b, t) -> WORLD.ibSend(b, 1, t, next, 1).waitFor(), (b, t) -> WORLD.isSend(b, 1, t, next, 1).waitFor(),
            (b, t) -> WORLD.irSend(b, 1, t, next, 1).waitFor());
        MPI.attachBuffer(new byte[10_000]);
        for (final Send mode : modes) {
            final IntBuffer into = MPI.newIntBuffer(16).put(0, filled(16));
            final Request receive = WORLD.iRecv(into, 1, halves, previous, 1);
            WORLD.barrier();
            mode.send(mine, columns);
            final Status status = receive.waitStatus();
            assertEquals(1, status.getCount(halves));
            assertEquals(12, status.getElements(halves));
            final int[] got = new int[16];
            into.get(0, got);
            assertArrayEquals(asHalves(previous), got);
        }
        MPI.detachBuffer();
        final int[] got = filled(16);
        final Status status = WORLD.sendRecv(matrix(WORLD.getRank()), 1, columns, next, 2, got, 1, halves, previous, 2);
        assertEquals(12, status.getCount(MPI.INT));
        assertArrayEquals(asHalves(previous), got);

        final Request send = WORLD.iSend(mine, 1, columns, next, 3);
        assertEquals(1, WORLD.probe(previous, 3).getCount(columns));
        final int[] probed = filled(16);
        WORLD.recv(probed, 1, halves, previous, 3);
        send.waitFor();
        assertArrayEquals(asHalves(previous), probed);
    }

    private static void persistent() throws MPIException {
        final Datatype columns = columns();
        final Datatype halves = halves();
        final IntBuffer mine = MPI.newIntBuffer(21);
        final IntBuffer into = MPI.newIntBuffer(16);
        final Prequest send = WORLD.sendInit(mine, 1, columns, next, 4);
        final Prequest receive = WORLD.recvInit(into, 1, halves, previous, 4);
        columns.free();
        halves.free();
        for (int round = 0; round < 3; round++) {
            mine.put(0, matrix(WORLD.getRank() + round));
            into.put(0, filled(16));
            receive.start();
            send.start();
            Request.waitAll(new Request[] {send, receive});
            final int[] got = new int[16];
            into.get(0, got);
            assertArrayEquals(asHalves(previous + round), got);
        }
        send.free();
        receive.free();
    }

    private static void replace() throws MPIException {
        final int[] data = matrix(WORLD.getRank());
        final int[] expected = data.clone();
        for (int i = 0; i < 12; i++) {
            expected[i / 4 * 7 + i % 4] = 1000 * previous + i / 4 * 7 + i % 4;
        }
        WORLD.sendRecvReplace(data, 1, columns(), next, 5, previous, 5);
        assertArrayEquals(expected, data);
    }

    /** A structure with every basic type, pairs and complex numbers, alone and nested in a vector within a structure. */
    private static void everyKind() throws MPIException {
        final Datatype[] kinds = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE, MPI.FLOAT_COMPLEX,
            MPI.DOUBLE_COMPLEX, MPI.INT2, MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT, MPI.PACKED};
        final int[] bytes = {1, 2, 2, 1, 4, 8, 4, 8, 8, 16, 8, 8, 16, 8, 16, 1};
        final int[] displacements = new int[kinds.length];
        final int[] ones = new int[kinds.length];
        Arrays.fill(ones, 1);
        int end = 3;
        for (int i = 0; i < kinds.length; i++) {
            displacements[i] = end;
            end += bytes[i] + 5;
        }
        final Datatype all = Datatype.createResized(Datatype.createStruct(ones, displacements, kinds), 0, end);
        assertEquals(1 + 2 + 2 + 1 + 4 + 8 + 4 + 8 + 8 + 16 + 8 + 6 + 12 + 8 + 12 + 1, all.getSize());
        final Datatype nested = Datatype.createStruct(new int[] {1, 2}, new int[] {2, end + 20},
            new Datatype[] {MPI.SHORT, Datatype.createHVector(2, 1, end + 1, all)});
        all.commit();
        nested.commit();
        check(all, 3, end);
        check(nested, 1, 6 * end);
    }

    /** Finds the gaps of the datatype by sending to oneself: exactly the bytes that are not received must be gaps. */
    private static void check(final Datatype type, final int count, final int length) throws MPIException {
        final int room = (count + 1) * length + 100;
        final ByteBuffer out = MPI.newByteBuffer(room);
        for (int i = 0; i < room; i++) {
            out.put(i, (byte) (i * 7 + 1 | 1));
        }
        final byte[] local = new byte[room];
        final byte[] packed = new byte[WORLD.packSize(count, type)];
        assertEquals(packed.length, WORLD.pack(out, count, type, packed, 0));
        assertEquals(packed.length, WORLD.unpack(packed, 0, local, count, type));
        int data = 0;
        for (int i = 0; i < room; i++) {
            assertTrue(local[i] == 0 || local[i] == out.get(i));
            data += local[i] == 0 ? 0 : 1;
        }
        assertEquals(packed.length, data);
        final byte[] got = new byte[room];
        final Status status = WORLD.sendRecv(out, count, type, next, 6, got, count, type, previous, 6);
        assertArrayEquals(local, got);
        assertEquals(count, status.getCount(type));
        final byte[] asBytes = new byte[packed.length];
        WORLD.sendRecv(out, count, type, next, 7, asBytes, packed.length, MPI.BYTE, previous, 7);
        assertArrayEquals(packed, asBytes);
        final byte[] fromPacked = new byte[room];
        WORLD.sendRecv(packed, packed.length, MPI.PACKED, next, 8, fromPacked, count, type, previous, 8);
        assertArrayEquals(local, fromPacked);
        final byte[] everywhere = WORLD.getRank() == 0 ? bytes(out) : new byte[room];
        WORLD.bcast(everywhere, count, type, 0);
        assertArrayEquals(WORLD.getRank() == 0 ? bytes(out) : local, everywhere);
    }

    private static byte[] bytes(final ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.capacity()];
        buffer.get(0, bytes);
        return bytes;
    }

    /** Half of a structure is received; the other half does not change. */
    private static void partial() throws MPIException {
        final Datatype struct = Datatype.createStruct(new int[] {1, 2, 1}, new int[] {0, 8, 24}, new Datatype[] {MPI.INT, MPI.SHORT, MPI.DOUBLE});
        struct.commit();
        final ByteBuffer out = MPI.newByteBuffer(64);
        for (int i = 0; i < 64; i++) {
            out.put(i, (byte) (i + 1));
        }
        final Datatype head = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.INT, MPI.SHORT});
        head.commit();
        final byte[] got = new byte[64];
        final Status status = WORLD.sendRecv(out, 1, head, next, 9, got, 2, struct, previous, 9);
        assertEquals(MPI.UNDEFINED, status.getCount(struct));
        assertEquals(2, status.getElements(struct));
        assertEquals(new Count(2), status.getElementsX(struct));
        assertEquals(6, status.getCount(MPI.BYTE));
        final byte[] expected = new byte[64];
        for (final int i : new int[] {0, 1, 2, 3, 8, 9}) {
            expected[i] = (byte) (i + 1);
        }
        assertArrayEquals(expected, got);
        // truncated within an element: not a whole number of elements
        final Status cut = WORLD.sendRecv(out, 5, MPI.BYTE, next, 10, new byte[64], 1, struct, previous, 10);
        assertEquals(MPI.UNDEFINED, cut.getElements(struct));
        final MPIException e = assertThrows(MPIException.class,
            () -> WORLD.sendRecv(out, 2, struct, next, 11, new byte[64], 1, struct, previous, 11));
        assertEquals(MPI.ERR_TRUNCATE, e.getErrorClass());
    }

    private static void freedMeanwhile() throws MPIException {
        final Datatype columns = columns();
        final Datatype twice = Datatype.createContiguous(2, columns);
        final IntBuffer into = MPI.newIntBuffer(21).put(0, filled(21));
        final Request receive = WORLD.iRecv(into, 1, columns, previous, 12);
        columns.free();
        assertTrue(columns.isNull());
        twice.commit();
        assertEquals(24, twice.getSize());
        WORLD.barrier();
        WORLD.send(matrix(WORLD.getRank()), 1, columns(), next, 12);
        receive.waitFor();
        assertEquals(1000 * previous + 17, into.get(17));
        assertEquals(CANARY, into.get(18));
        final MPIException e = assertThrows(MPIException.class, () -> WORLD.send(new int[21], 1, columns, next, 13));
        assertEquals(MPI.ERR_TYPE, e.getErrorClass());
    }

    private static void packed() throws MPIException {
        final Datatype backwards = Datatype.createHIndexed(new int[] {1}, new int[] {16}, Datatype.createVector(3, 1, -2, MPI.INT));
        backwards.commit();
        final byte[] packed = new byte[40];
        int at = WORLD.pack(new int[] {1, 2, 3, 4, 5}, 1, backwards, packed, 4);
        assertEquals(16, at);
        at = WORLD.pack(new boolean[] {true, false, true}, 3, MPI.BOOLEAN, packed, at);
        assertEquals(19, at);
        assertEquals(5, ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder()).getInt(4));
        final byte[] got = new byte[40];
        WORLD.sendRecv(packed, at, MPI.PACKED, next, 14, got, 40, MPI.PACKED, previous, 14);
        final int[] ints = filled(6);
        at = WORLD.unpack(got, 4, ints, 1, backwards);
        assertArrayEquals(new int[] {1, CANARY, 3, CANARY, 5, CANARY}, ints);
        final boolean[] flags = {false, true, true, true, true};
        assertEquals(19, WORLD.unpack(got, at, flags, 1, committed(Datatype.createVector(3, 1, 2, MPI.BOOLEAN))));
        assertArrayEquals(new boolean[] {true, true, false, true, true}, flags);
        assertEquals(0, WORLD.packSize(0, backwards));
        final Datatype nothing = committed(Datatype.createContiguous(0, MPI.INT));
        assertEquals(0, WORLD.packSize(7, nothing));
        assertEquals(4, WORLD.pack(new int[0], 7, nothing, packed, 4));
        assertEquals(MPI.UNDEFINED, WORLD.packSize(Integer.MAX_VALUE, backwards));
        assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, () -> WORLD.pack(new int[9], 9, MPI.INT, packed, 5)).getErrorClass());
        assertEquals(MPI.ERR_COUNT, assertThrows(MPIException.class, () -> WORLD.packSize(-1, MPI.INT)).getErrorClass());
    }

    private static Datatype committed(final Datatype type) throws MPIException {
        type.commit();
        return type;
    }

    private static void largeOnes() throws MPIException {
        final Datatype large = Datatype.createVector(1L << 32, 1, 3, MPI.INT);
        assertEquals(MPI.UNDEFINED, large.getSize());
        assertEquals(MPI.UNDEFINED, large.getExtent());
        assertEquals(new Count(1L << 32), large.getSizeX());
        assertEquals(new Count(3 * ((1L << 32) - 1) + 1), large.getExtentX());
        final Datatype far = Datatype.createIndexed(new long[] {1, 1}, new long[] {-(1L << 40), 0}, MPI.INT);
        assertEquals(new Count(-(1L << 40)), far.getLbX());
        assertEquals(new Count(-(1L << 40)), far.getTrueLbX());
        assertEquals(new Count((1L << 40) + 1), far.getTrueExtentX());
        assertEquals(new Count(1L << 33), Datatype.createContiguous(1L << 33, MPI.BYTE).getExtentX());
        assertEquals(new Count((1L << 40) / 4 + 1), Datatype.createHVector(2L, 1, 1L << 40, MPI.INT).getExtentX());
        assertEquals(new Count((1L << 40) / 4 + 1), Datatype.createHIndexed(new long[] {1, 1}, new long[] {0, 1L << 40}, MPI.INT).getExtentX());
        assertEquals(new Count((1L << 40) + 4),
            Datatype.createStruct(new long[] {1, 1}, new long[] {0, 1L << 40}, new Datatype[] {MPI.INT, MPI.INT}).getExtentX());
        final Datatype wide = Datatype.createResized(MPI.DOUBLE, -40L, 1L << 40);
        assertEquals(new Count(-5), wide.getLbX());
        assertEquals(new Count(1L << 37), wide.getExtentX());
        assertEquals(MPI.ERR_ARG, assertThrows(MPIException.class, () -> Datatype.createResized(MPI.DOUBLE, 1, Long.MAX_VALUE)).getErrorClass());
        // ints beyond 2 GiB
        assertEquals(new Count(8L * Integer.MAX_VALUE + 8),
            Datatype.createVector(2, 1, Integer.MAX_VALUE, Datatype.createResized(MPI.BYTE, 0, 8)).getExtentX());
    }

    private static void attributes() throws MPIException {
        final int color = Datatype.createKeyval();
        final List<String> calls = new ArrayList<>();
        final int counted = Datatype.createKeyval((type, key, value) -> "none".equals(value) ? null : value + "+",
            (type, key, value) -> calls.add("gone " + value));
        final Datatype type = columns();
        assertNull(type.getAttr(color));
        type.setAttr(color, "red");
        type.setAttr(color, "green");
        type.setAttr(counted, "a");
        MPI.INT.setAttr(color, 7);
        final Datatype copy = type.dup();
        final Datatype clone = copy.clone();
        assertNull(copy.getAttr(color));
        assertEquals("a+", copy.getAttr(counted));
        assertEquals("a++", clone.getAttr(counted));
        type.setAttr(counted, "none");
        assertNull(type.dup().getAttr(counted));
        copy.deleteAttr(counted);
        assertNull(copy.getAttr(counted));
        copy.deleteAttr(counted);
        assertEquals(List.of("gone a", "gone a+"), calls);
        assertEquals(7, MPI.INT.getAttr(color));
        Datatype.freeKeyval(counted);
        assertEquals("none", type.getAttr(counted));
        clone.free();
        type.free();
        assertEquals(List.of("gone a", "gone a+", "gone a++", "gone none"), calls);
        assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, () -> type.getAttr(color)).getErrorClass());
        MPI.INT.deleteAttr(color);
        Datatype.freeKeyval(color);
        assertEquals(MPI.ERR_KEYVAL, assertThrows(MPIException.class, () -> Datatype.freeKeyval(color)).getErrorClass());
        final int refused = Datatype.createKeyval((t, key, value) -> {
            throw new MPIException("no copies");
        }, null);
        copy.setAttr(refused, 1);
        assertThrows(MPIException.class, copy::dup);
        assertThrows(IllegalStateException.class, copy::clone);
    }

    private static void copies() throws MPIException {
        final Datatype pair = MPI.DOUBLE_INT.dup();
        assertEquals("", pair.getName());
        pair.setName("mine");
        assertEquals("mine", pair.getName());
        assertEquals("MPI_DOUBLE_INT", MPI.DOUBLE_INT.getName());
        assertFalse(pair.isNull());
        final ByteBuffer data = MPI.newByteBuffer(16).putDouble(0, WORLD.getRank()).putInt(8, WORLD.getRank()).putInt(12, CANARY);
        WORLD.allReduce(data, 1, pair, MPI.MAXLOC);
        assertEquals(WORLD.getSize() - 1, data.getInt(8));
        assertEquals(CANARY, data.getInt(12));
        pair.free();
        assertTrue(pair.isNull());
        assertTrue(pair.clone().isNull());
        assertTrue(MPI.DATATYPE_NULL.isNull());
        assertEquals("predefined datatype cannot be freed: type=MPI_INT",
            assertThrows(MPIException.class, MPI.INT::free).getMessage().replaceAll(" \\[.*", ""));
    }
}
