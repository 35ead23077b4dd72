package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Win;

/** Windows: every method of class Win, on ranks of one node and of several. */
public final class Windows {
    private static int rank;
    private static int size;
    private static int next;
    private static int previous;

    private Windows() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        next = (rank + 1) % size;
        previous = (rank + size - 1) % size;
        createdFromBuffers();
        requests();
        atomics();
        groups();
        locks();
        allocated();
        ofSegments();
        attached();
        attributes();
        errors();
        errorHandlers();
    }

    private static Win of(final IntBuffer memory) throws MPIException {
        final Win win = new Win(memory, memory.capacity(), 1, MPI.INFO_NULL, MPI.COMM_WORLD);
        win.setErrhandler(MPI.ERRORS_RETURN);
        return win;
    }

    private static void createdFromBuffers() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(10);
        final Win win = of(memory);
        win.fence(MPI.MODE_NOPRECEDE);
        win.put(MPI.newIntBuffer(2).put(0, rank).put(1, 7), 2, MPI.INT, next, 3, 2, MPI.INT);
        win.fence(0);
        assertEquals(List.of(previous, 7), List.of(memory.get(3), memory.get(4)));
        win.fence(0);
        final IntBuffer got = MPI.newIntBuffer(3);
        win.get(got, 1, MPI.INT, next, 3, 1, MPI.INT);
        win.accumulate(MPI.newIntBuffer(1).put(0, 5), 1, MPI.INT, next, 4, 1, MPI.INT, MPI.SUM);
        win.fence(0);
        assertEquals(rank, got.get(0));
        assertEquals(12, memory.get(4));
        win.fence(0);
        final int[] array = {1, 2, 3};
        win.put((Object) array, 3L, MPI.INT, next, 5L, 3L, MPI.INT);
        win.put(got, 1, MPI.INT, MPI.PROC_NULL, 0, 1, MPI.INT);
        win.fence(0);
        final Datatype column = Datatype.createVector(2, 1, 2, MPI.INT);
        column.commit();
        win.get(got, 2, MPI.INT, next, 5, 1, column);
        win.fence(MPI.MODE_NOSUCCEED);
        assertEquals(List.of(1, 3), List.of(got.get(0), got.get(1)));
        column.free();
        win.free();
        assertTrue(win.isNull());
        win.close();
    }

    private static void requests() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(4);
        try (Win win = of(memory)) {
            MPI.COMM_WORLD.barrier();
            win.lockAll(0);
            final Request put = win.rPut(MPI.newIntBuffer(1).put(0, 30 + rank), 1, MPI.INT, next, 0, 1, MPI.INT);
            final Request sum = win.rAccumulate(MPI.newIntBuffer(1).put(0, 2), 1, MPI.INT, next, 1, 1, MPI.INT, MPI.SUM);
            Request.waitAll(new Request[] {put, sum});
            win.flush(next);
            MPI.COMM_WORLD.barrier();
            win.sync();
            assertEquals(List.of(30 + previous, 2), List.of(memory.get(0), memory.get(1)));
            MPI.COMM_WORLD.barrier();
            final IntBuffer got = MPI.newIntBuffer(2);
            win.rGet(got, 2, MPI.INT, next, 0, 2, MPI.INT).waitFor();
            assertEquals(List.of(30 + rank, 2), List.of(got.get(0), got.get(1)));
            win.rGetAccumulate(MPI.newIntBuffer(1).put(0, 9), 1, MPI.INT, got, 1, MPI.INT, next, 1, 1, MPI.INT, MPI.MAX).waitFor();
            assertEquals(2, got.get(0));
            win.flushLocal(next);
            win.flushLocalAll();
            win.flushAll();
            win.unlockAll();
            MPI.COMM_WORLD.barrier();
            assertEquals(9, memory.get(1));
        }
    }

    private static void atomics() throws MPIException {
        final LongBuffer memory = MPI.newLongBuffer(2);
        try (Win win = new Win(memory, 2, 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            final LongBuffer one = MPI.newLongBuffer(1).put(0, 1);
            final LongBuffer before = MPI.newLongBuffer(1);
            final LongBuffer compare = MPI.newLongBuffer(1);
            win.lock(MPI.LOCK_SHARED, 0, 0);
            win.fetchAndOp(one, before, MPI.LONG, 0, 0, MPI.SUM);
            win.flush(0);
            assertTrue(before.get(0) >= 0 && before.get(0) < size);
            win.compareAndSwap(MPI.newLongBuffer(1).put(0, 100 + rank), compare, before, MPI.LONG, 0, 1);
            win.getAccumulate(null, 0, MPI.LONG, one, 1, MPI.LONG, 0, 1, 1, MPI.LONG, MPI.NO_OP);
            win.unlock(0);
            assertTrue(one.get(0) >= 100 && (before.get(0) == 0) == (one.get(0) == 100 + rank));
            MPI.COMM_WORLD.barrier();
            assertTrue(rank > 0 || memory.get(0) == size);
        }
    }

    private static void groups() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(1);
        try (Win win = of(memory)) {
            final Group all = win.getGroup();
            final Group to = all.incl(new int[] {next});
            final Group from = all.incl(new int[] {previous});
            for (int i = 0; i < 5; i++) {
                win.post(from, 0);
                win.start(to, 0);
                win.put(MPI.newIntBuffer(1).put(0, 10 * i + rank), 1, MPI.INT, next, 0, 1, MPI.INT);
                win.complete();
                if (i % 2 == 0) {
                    win.waitFor();
                } else {
                    while (!win.test()) {
                        Thread.onSpinWait();
                    }
                }
                assertEquals(10 * i + previous, memory.get(0));
            }
            assertEquals(size, all.getSize());
        }
    }

    private static void locks() throws MPIException {
        final DoubleBuffer memory = MPI.newDoubleBuffer(1);
        try (Win win = new Win(memory, 1, 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            for (int i = 0; i < 20; i++) {
                win.lock(MPI.LOCK_EXCLUSIVE, size - 1, 0);
                final DoubleBuffer value = MPI.newDoubleBuffer(1);
                win.get(value, 1, MPI.DOUBLE, size - 1, 0, 1, MPI.DOUBLE);
                win.flush(size - 1);
                win.put(value.put(0, value.get(0) + 1), 1, MPI.DOUBLE, size - 1, 0, 1, MPI.DOUBLE);
                win.unlock(size - 1);
            }
            MPI.COMM_WORLD.barrier();
            assertTrue(rank < size - 1 || memory.get(0) == 20 * size);
        }
    }

    private static void allocated() throws MPIException {
        try (Win win = new Win(3, 1, MPI.INFO_NULL, MPI.COMM_WORLD, IntBuffer.allocate(0), Win.FLAVOR_PRIVATE)) {
            assertEquals(12, win.getBuffer().capacity());
            assertEquals(4, win.getDispUnit(next));
            win.fence(0);
            win.put(MPI.newIntBuffer(1).put(0, rank), 1, MPI.INT, next, 2, 1, MPI.INT);
            win.fence(0);
            assertEquals(previous, win.getBuffer().getInt(8));
            win.setErrhandler(MPI.ERRORS_RETURN);
            fails(MPI.ERR_RMA_FLAVOR, "window has no shared memory: flavor=ALLOCATED", () -> win.sharedQuery(0));
        }
        final Intracomm near = MPI.COMM_WORLD.splitType(mpi.Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
        final int own = near.getRank();
        try (Win win = new Win(own == 0 ? 0 : 8, 8, MPI.INFO_NULL, near, null, Win.FLAVOR_SHARED)) {
            if (own > 0) {
                win.getMemory().set(ValueLayout.JAVA_LONG, 0, 40 + own);
            }
            near.barrier();
            final int other = (own + 1) % near.getSize();
            assertEquals(other == 0 ? 0 : 8, win.sharedQuery(other).byteSize());
            if (other > 0) {
                assertEquals(40 + other, win.sharedQuery(other).get(ValueLayout.JAVA_LONG, 0));
            }
            if (near.getSize() > 1) {
                assertEquals(win.sharedQuery(1), win.sharedQuery(MPI.PROC_NULL));
            }
            near.barrier();
        }
        near.free();
    }

    private static void ofSegments() throws MPIException {
        final MemorySegment memory = Arena.ofAuto().allocate(16, 8);
        try (Win win = new Win(memory, 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.fence(0);
            win.put((Object) MemorySegment.ofArray(new long[] {rank}), 1L, MPI.LONG, next, 8L, 1L, MPI.LONG);
            win.fence(0);
            assertEquals(previous, memory.get(ValueLayout.JAVA_LONG, 8));
            win.fence(0);
            final long[] got = new long[1];
            win.get((Object) got, 1L, MPI.LONG, next, 8L, 1L, MPI.LONG);
            win.accumulate((Object) new long[] {3}, 1L, MPI.LONG, next, 0L, 1L, MPI.LONG, MPI.SUM);
            win.fence(0);
            assertArrayEquals(new long[] {rank}, got);
            assertEquals(3, memory.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    private static void attached() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(4);
        try (Win win = new Win(MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.setErrhandler(MPI.ERRORS_RETURN);
            win.attach(memory, 4);
            final long[] addresses = new long[size];
            MPI.COMM_WORLD.allGather(new long[] {Win.address(memory)}, 1, MPI.LONG, addresses, 1, MPI.LONG);
            win.fence(0);
            win.put((Object) new int[] {rank}, 1L, MPI.INT, next, addresses[next] + 8, 1L, MPI.INT);
            win.fence(0);
            assertEquals(previous, memory.get(2));
            fails(MPI.ERR_RMA_ATTACH, "memory is attached already, or overlaps memory that is: bytes=16", () -> win.attach(memory, 4));
            win.detach(memory);
            fails(MPI.ERR_RMA_ATTACH, "memory is not attached", () -> win.detach(memory));
            fails(MPI.ERR_RMA_ATTACH, "memory of an array cannot be attached: use a direct buffer", () -> win.attach(IntBuffer.allocate(2), 2));
        }
    }

    private static void attributes() throws MPIException {
        final List<Object> deleted = new ArrayList<>();
        final int key = Win.createKeyval((from, keyval, value) -> deleted.add(value));
        final int plain = Win.createKeyval();
        final ByteBuffer memory = MPI.newByteBuffer(6);
        final Info hints = new Info();
        hints.set("no_locks", "true");
        final Win win = new Win(memory, 6, 2, hints, MPI.COMM_WORLD);
        win.setErrhandler(MPI.ERRORS_RETURN);
        assertSame(memory, win.getAttr(MPI.WIN_BASE));
        assertEquals(6L, win.getAttr(MPI.WIN_SIZE));
        assertEquals(2, win.getAttr(MPI.WIN_DISP_UNIT));
        assertNull(win.getAttr(key));
        win.setAttr(key, "a");
        win.setAttr(key, "b");
        win.setAttr(plain, 1);
        win.deleteAttr(plain);
        assertNull(win.getAttr(plain));
        assertEquals("b", win.getAttr(key));
        Win.freeKeyval(key);
        Win.freeKeyval(plain);
        fails(MPI.ERR_KEYVAL, "no such keyval of a Win: keyval=" + plain, () -> win.getAttr(plain));
        assertEquals("true", win.getInfo().get("no_locks"));
        hints.set("no_locks", "false");
        win.setInfo(hints);
        assertEquals("false", win.getInfo().get("no_locks"));
        assertEquals("", win.getName());
        win.setName("halo");
        assertEquals("halo", win.getName());
        assertTrue(assertThrows(MPIException.class, () -> win.flush(0)).getMessage().contains(" on halo"));
        win.free();
        assertEquals(List.of("a", "b"), deleted);
        hints.free();
    }

    private static void errors() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(2);
        fails(MPI.ERR_SIZE, "size out of range: size=3, range=0..2", () -> new Win(memory, 3, 1, MPI.INFO_NULL, MPI.COMM_WORLD));
        fails(MPI.ERR_INFO, "info is null", () -> new Win(memory, 2, 1, null, MPI.COMM_WORLD));
        fails(MPI.ERR_ARG, "flavor out of range: flavor=9, range=0..1", () -> new Win(1, 1, MPI.INFO_NULL, MPI.COMM_WORLD, null, 9));
        fails(MPI.ERR_DISP, "unit of displacements out of range: unit=0, range=1..2147483647",
            () -> new Win(memory, 2, 0, MPI.INFO_NULL, MPI.COMM_WORLD));
        final Win win = of(memory);
        fails(MPI.ERR_LOCKTYPE, "type of lock out of range: type=7, use MPI.LOCK_EXCLUSIVE or MPI.LOCK_SHARED", () -> win.lock(7, 0, 0));
        fails(MPI.ERR_RANK, "rank out of range: rank=" + size + ", size=" + size, () -> win.lock(MPI.LOCK_SHARED, size, 0));
        fails(MPI.ERR_ASSERT, "assertion out of range: assertion=64, allowed bits=1", () -> win.lockAll(64));
        fails(MPI.ERR_GROUP, "group is null", () -> win.post(null, 0));
        fails(MPI.ERR_RMA_SYNC, "target cannot be accessed in this epoch: target=0, epoch=none", () -> win.put(memory, 1, MPI.INT, 0, 0, 1, MPI.INT));
        win.fence(0);
        fails(MPI.ERR_OP, "operation is null", () -> win.accumulate(memory, 1, MPI.INT, 0, 0, 1, MPI.INT, null));
        fails(MPI.ERR_RMA_RANGE, "beyond the memory of the window: target=0, displacement=2, unit=4, count=1, type=INT, window=8 bytes",
            () -> win.put(memory, 1, MPI.INT, 0, 2, 1, MPI.INT));
        fails(MPI.ERR_INFO, "info is null", () -> win.setInfo(null));
        win.fence(MPI.MODE_NOSUCCEED);
        win.free();
        fails(MPI.ERR_WIN, "window has been freed", () -> win.fence(0));
    }

    private static void errorHandlers() throws MPIException {
        final AtomicInteger calls = new AtomicInteger();
        final Errhandler counts = new Errhandler((comm, error) -> calls.incrementAndGet());
        final Win win = new Win(MPI.newIntBuffer(1), 1, 1, MPI.INFO_NULL, MPI.COMM_WORLD);
        assertSame(MPI.ERRORS_ARE_FATAL, win.getErrhandler());
        win.setErrhandler(counts);
        assertSame(counts, win.getErrhandler());
        assertThrows(MPIException.class, win::complete);
        win.callErrhandler(MPI.ERR_WIN);
        assertEquals(2, calls.get());
        assertFalse(win.isNull());
        win.free();
    }
}
