package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;

/** The environment of a rank: its statics, clock, predefined communicators and objects, and new buffers. */
public final class Environment {
    private static int visits;

    private Environment() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        visits++;
        assertEquals(1, visits, "statics belong to one rank");
        communicators();
        buffers();
        names();
        assertTrue(MPI.isThreadMain());
        assertEquals(MPI.THREAD_MULTIPLE, MPI.queryThread());
        final double start = MPI.wtime();
        assertTrue(MPI.wtime() >= start && MPI.wtick() > 0);
        final byte[] attached = new byte[MPI.BSEND_OVERHEAD];
        MPI.attachBuffer(attached);
        assertEquals(MPI.ERR_BUFFER, assertThrows(MPIException.class, () -> MPI.attachBuffer(attached)).getErrorClass());
        assertSame(attached, MPI.detachBuffer());
        start();
        assertEquals(MPI.ERR_INFO, assertThrows(MPIException.class, () -> MPI.INFO_ENV.set("a", "b")).getErrorClass());
        assertTrue(MPI.DATATYPE_NULL.isNull());
        assertEquals("MPI_SUM MPI_MAXLOC MPI_DATATYPE_NULL MPI_INT MPI_DOUBLE_INT",
            MPI.SUM + " " + MPI.MAXLOC + " " + MPI.DATATYPE_NULL + " " + MPI.INT + " " + MPI.DOUBLE_INT);
        assertSame(MPI.DOUBLE_INT, MPI.doubleInt.getType());
    }

    /** The host has one name, and the nodes on it have names of their own. */
    private static void names() throws MPIException {
        assertFalse(MPI.getProcessorName().isBlank());
        final byte[] mine = Arrays.copyOf(MPI.getProcessorName().getBytes(StandardCharsets.UTF_8), 64);
        final byte[] all = new byte[64 * MPI.COMM_WORLD.getSize()];
        MPI.COMM_WORLD.allGather(mine, 64, MPI.BYTE, all, 64, MPI.BYTE);
        for (int r = 0; r < MPI.COMM_WORLD.getSize(); r++) {
            assertArrayEquals(mine, Arrays.copyOfRange(all, 64 * r, 64 * r + 64));
        }
        assertTrue(MPI.getNodeName().matches("n[0-9]"), MPI.getNodeName());
    }

    private static void start() throws MPIException {
        final List<String> keys = new ArrayList<>();
        for (int i = 0; i < MPI.INFO_ENV.size(); i++) {
            keys.add(MPI.INFO_ENV.getKey(i));
        }
        assertEquals(List.of("command", "argv", "maxprocs", "soft", "host", "arch", "wdir", "file", "thread_level"), keys);
        final String ranks = Integer.toString(MPI.COMM_WORLD.getSize());
        assertEquals(ranks, MPI.INFO_ENV.get("maxprocs"));
        assertEquals(ranks, MPI.INFO_ENV.get("soft"));
        assertEquals(MPI.getProcessorName(), MPI.INFO_ENV.get("host"));
        assertEquals(System.getProperty("os.arch"), MPI.INFO_ENV.get("arch"));
        assertEquals(System.getProperty("user.dir"), MPI.INFO_ENV.get("wdir"));
        assertEquals("MPI_THREAD_MULTIPLE", MPI.INFO_ENV.get("thread_level"));
    }

    private static void communicators() throws MPIException {
        assertEquals(1, MPI.COMM_SELF.getSize());
        assertEquals(0, MPI.COMM_SELF.getRank());
        assertEquals(MPI.COMM_WORLD.getSize(), MPI.COMM_WORLD.getGroup().getSize());
        assertEquals(MPI.COMM_WORLD.getRank(), MPI.COMM_WORLD.getGroup().getRank());
        assertFalse(MPI.COMM_WORLD.isInter());
        assertFalse(MPI.COMM_WORLD.isNull());
        assertEquals("MPI_COMM_WORLD", MPI.COMM_WORLD.getName());
        MPI.COMM_WORLD.setName("everybody " + MPI.COMM_WORLD.getRank());
        assertEquals("everybody " + MPI.COMM_WORLD.getRank(), MPI.COMM_WORLD.getName());
        assertEquals(MPI.ERR_COMM, assertThrows(MPIException.class, MPI.COMM_SELF::free).getErrorClass());
        final Info hints = new Info();
        hints.set("a", "b");
        MPI.COMM_SELF.setInfo(hints);
        hints.free();
        assertEquals("b", MPI.COMM_SELF.getInfo().get("a"));
        assertEquals(4, MPI.COMM_WORLD.getInfo().size(), "the assertions of MPI");
    }

    private static void buffers() {
        final IntBuffer ints = MPI.newIntBuffer(10);
        assertTrue(ints.isDirect());
        assertEquals(ByteOrder.nativeOrder(), ints.order());
        ints.put(new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        assertEquals(7, MPI.slice(ints, 7).get(0));
        assertEquals(10, ints.position());
        assertEquals(3, MPI.slice(ints, 7).capacity());
        final int[] array = {5, 6, 7};
        MPI.slice(array, 2).put(0, 9);
        assertEquals(9, array[2]);
        final ByteBuffer bytes = MPI.newByteBuffer(16);
        assertEquals(ByteOrder.nativeOrder(), bytes.order());
        assertEquals(ByteOrder.nativeOrder(), MPI.slice(bytes, 3).order());
        assertEquals(13, MPI.slice(bytes, 3).capacity());
        for (final int capacity : new int[] {0, 1, 24, 64, 1000, 1 << 20}) {
            final ByteBuffer aligned = MPI.newByteBuffer(capacity);
            assertTrue(aligned.isDirect());
            assertEquals(capacity, aligned.capacity());
            assertEquals(capacity, aligned.remaining());
            assertEquals(ByteBuffer.allocate(capacity), aligned, "bytes are 0");
            assertEquals(0, MemorySegment.ofBuffer(aligned).address() % 64);
            assertEquals(0, MemorySegment.ofBuffer(MPI.newDoubleBuffer(capacity)).address() % 64);
        }
        assertThrows(IllegalArgumentException.class, () -> MPI.newByteBuffer(-1));
        assertEquals(2, MPI.slice(new byte[4], 2).capacity());
        assertEquals(2, MPI.slice(new char[4], 2).capacity());
        assertEquals(2, MPI.slice(new short[4], 2).capacity());
        assertEquals(2, MPI.slice(new long[4], 2).capacity());
        assertEquals(2, MPI.slice(new float[4], 2).capacity());
        assertEquals(2, MPI.slice(new double[4], 2).capacity());
        assertEquals(2, MPI.slice(MPI.newCharBuffer(4), 2).capacity());
        assertEquals(2, MPI.slice(MPI.newShortBuffer(4), 2).capacity());
        assertEquals(2, MPI.slice(MPI.newLongBuffer(4), 2).capacity());
        assertEquals(2, MPI.slice(MPI.newFloatBuffer(4), 2).capacity());
        assertEquals(2, MPI.slice(MPI.newDoubleBuffer(4), 2).capacity());
    }
}
