package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.File;
import mpi.FileView;
import mpi.Group;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;
import org.junit.jupiter.api.function.Executable;

/** Files: every method of classes File and FileView, on ranks of one node and of several. */
public final class SharedFiles {
    private static final int COUNT = 1_000;

    private static int rank;
    private static int size;
    private static String name;

    private SharedFiles() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        final byte[] path = new byte[500];
        if (rank == 0) {
            final byte[] made = Files.createTempDirectory("files").resolve("data").toString().getBytes(StandardCharsets.UTF_8);
            System.arraycopy(made, 0, path, 0, made.length);
        }
        MPI.COMM_WORLD.bcast(path, path.length, MPI.BYTE, 0);
        name = new String(path, StandardCharsets.UTF_8).strip().replace("\0", "");
        offsets();
        pointers();
        sharedPointers();
        requests();
        twoCalls();
        views();
        properties();
        errors();
        errorHandlers();
        MPI.COMM_WORLD.barrier();
        if (rank == 0) {
            File.delete(name);
            File.delete(name + "2", MPI.INFO_NULL);
            Files.delete(Path.of(name).getParent());
        }
    }

    /** Opens the file with a view of integers. */
    private static File ints(final int mode) throws MPIException {
        final File file = new File(MPI.COMM_WORLD, name, mode);
        file.setView(0, MPI.INT, MPI.INT, "native");
        return file;
    }

    /** Opens the file with a view of integers of each rank in turn. */
    private static File interleaved() throws MPIException {
        final File file = new File(MPI.COMM_WORLD, name, MPI.MODE_RDWR);
        final Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        file.setView(4L * rank, MPI.INT, every, "native", new Info());
        return file;
    }

    private static int[] numbers(final int from, final int count) {
        return IntStream.range(from, from + count).toArray();
    }

    private static void fails(final int errorClass, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(errorClass, e.getErrorClass(), e.getMessage());
    }

    private static void meet() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    private static void offsets() throws MPIException {
        final File file = ints(MPI.MODE_RDWR | MPI.MODE_CREATE);
        assertEquals(COUNT, file.writeAt((long) rank * COUNT, numbers(rank * COUNT, COUNT), COUNT, MPI.INT).getCount(MPI.INT));
        file.sync();
        meet();
        final int[] got = new int[COUNT];
        final int other = (rank + 1) % size;
        assertEquals(COUNT, file.readAt((long) other * COUNT, got, COUNT, MPI.INT).getCount(MPI.INT));
        assertArrayEquals(numbers(other * COUNT, COUNT), got);
        final Status short1 = file.readAt((long) size * COUNT - 3, got, COUNT, MPI.INT);
        assertEquals(3, short1.getCount(MPI.INT));
        assertEquals(3, short1.getElements(MPI.INT));
        meet();
        assertEquals(COUNT, file.writeAtAll((long) other * COUNT, numbers(other, COUNT), COUNT, MPI.INT).getCount(MPI.INT));
        assertEquals(COUNT, file.readAtAll((long) other * COUNT, got, COUNT, MPI.INT).getCount(MPI.INT));
        assertArrayEquals(numbers(other, COUNT), got);
        meet();
        file.close();
    }

    private static void pointers() throws MPIException {
        final File file = interleaved();
        file.writeAll(numbers(rank, COUNT), COUNT, MPI.INT);
        file.write(IntBuffer.wrap(numbers(7, 2)), 2, MPI.INT);
        assertEquals(COUNT + 2, file.getPosition());
        assertEquals(4L * ((COUNT + 2) * size + rank), file.getByteOffset(COUNT + 2));
        file.sync();
        meet();
        file.seek(-2, MPI.SEEK_CUR);
        final int[] got = new int[COUNT];
        assertEquals(2, file.read(got, 5, MPI.INT).getCount(MPI.INT));
        assertEquals(List.of(7, 8), List.of(got[0], got[1]));
        file.seek(0, MPI.SEEK_SET);
        assertEquals(COUNT, file.readAll(got, COUNT, MPI.INT).getCount(MPI.INT));
        assertArrayEquals(numbers(rank, COUNT), got);
        file.seek(-1, MPI.SEEK_END);
        file.read(got, 1, MPI.INT);
        assertEquals(8, got[0]);
        meet();
        file.close();
    }

    private static void sharedPointers() throws MPIException {
        final File file = ints(MPI.MODE_RDWR);
        file.setSize(0);
        file.writeShared(new int[] {rank, rank}, 2, MPI.INT);
        meet();
        assertEquals(2L * size, file.getPositionShared());
        meet();
        file.seekShared(0, MPI.SEEK_SET);
        final int[] got = new int[size + 1];
        file.readShared(got, 2, MPI.INT);
        assertEquals(got[0], got[1]);
        meet();
        file.seekShared(-2L * size, MPI.SEEK_CUR);
        file.writeOrdered(numbers(100 * rank, rank + 1), rank + 1, MPI.INT);
        file.seekShared(0, MPI.SEEK_SET);
        file.readOrdered(got, rank + 1, MPI.INT);
        assertEquals(100 * rank + rank, got[rank]);
        file.seekShared(0, MPI.SEEK_SET);
        final int[] two = numbers(200 * rank, 2);
        file.writeOrderedBegin(two, 2, MPI.INT);
        fails(MPI.ERR_BUFFER, () -> file.writeOrderedEnd(got));
        assertEquals(2, file.writeOrderedEnd(two).getCount(MPI.INT));
        file.seekShared(0, MPI.SEEK_SET);
        final int[] back = new int[2];
        file.readOrderedBegin(back, 2, MPI.INT);
        assertEquals(2, file.readOrderedEnd(back).getCount(MPI.INT));
        assertArrayEquals(two, back);
        final IntBuffer one = MPI.newIntBuffer(1).put(0, 17);
        file.iWriteShared(one, 1, MPI.INT).waitFor();
        file.iWriteShared((Object) new int[] {17}, 1L, MPI.INT).waitFor();
        meet();
        assertEquals(4L * size, file.getPositionShared());
        meet();
        file.seekShared(-2L * size, MPI.SEEK_CUR);
        final IntBuffer read = MPI.newIntBuffer(1);
        file.iReadShared(read, 1, MPI.INT).waitFor();
        assertEquals(17, read.get(0));
        file.iReadShared((Object) back, 1L, MPI.INT).waitFor();
        assertEquals(17, back[0]);
        file.close();
    }

    private static void requests() throws MPIException {
        final File file = interleaved();
        final IntBuffer data = MPI.newIntBuffer(COUNT).put(0, numbers(rank, COUNT));
        final IntBuffer got = MPI.newIntBuffer(COUNT);
        Request.waitAll(new Request[] {file.iWriteAll(data, COUNT, MPI.INT), file.iWriteAtAll(2 * COUNT, data, COUNT, MPI.INT),
            file.iWrite(data, COUNT, MPI.INT), file.iWriteAt(3 * COUNT, data, COUNT, MPI.INT)});
        assertEquals(2 * COUNT, file.getPosition());
        file.seek(0, MPI.SEEK_SET);
        for (final Request r : new Request[] {file.iReadAll(got, COUNT, MPI.INT), file.iRead(got, COUNT, MPI.INT),
            file.iReadAt(3 * COUNT, got, COUNT, MPI.INT), file.iReadAtAll(2 * COUNT, got, COUNT, MPI.INT)}) {
            assertEquals(COUNT, r.waitStatus().getCount(MPI.INT));
        }
        assertEquals(data, got);
        file.seek(0, MPI.SEEK_SET);
        final int[] array = numbers(50 + rank, COUNT);
        final MemorySegment segment = Arena.ofAuto().allocate(4L * COUNT, 4);
        Request
            .waitAll(new Request[] {file.iWriteAll((Object) array, (long) COUNT, MPI.INT), file.iWriteAtAll(2 * COUNT, array, (long) COUNT, MPI.INT),
                file.iWrite((Object) array, (long) COUNT, MPI.INT), file.iWriteAt(3 * COUNT, array, (long) COUNT, MPI.INT)});
        file.seek(0, MPI.SEEK_SET);
        Request.waitAll(new Request[] {file.iReadAll(segment, (long) COUNT, MPI.INT), file.iRead(new int[COUNT], (long) COUNT, MPI.INT),
            file.iReadAt(3 * COUNT, new int[COUNT], (long) COUNT, MPI.INT), file.iReadAtAll(2 * COUNT, new int[COUNT], (long) COUNT, MPI.INT)});
        assertArrayEquals(array, segment.toArray(ValueLayout.JAVA_INT));
        meet();
        file.close();
    }

    private static void twoCalls() throws MPIException {
        final File file = interleaved();
        final int[] data = numbers(3 * rank, COUNT);
        final int[] got = new int[COUNT];
        file.writeAllBegin(data, COUNT, MPI.INT);
        assertEquals(COUNT, file.writeAllEnd(data).getCount(MPI.INT));
        file.readAtAllBegin(0, got, COUNT, MPI.INT);
        fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.readAllBegin(got, COUNT, MPI.INT));
        assertEquals(COUNT, file.readAtAllEnd(got).getCount(MPI.INT));
        assertArrayEquals(data, got);
        file.writeAtAllBegin(COUNT, data, COUNT, MPI.INT);
        file.writeAtAllEnd(data);
        file.readAllBegin(got, COUNT, MPI.INT);
        file.readAllEnd(got);
        assertArrayEquals(data, got);
        fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.readAllEnd(got));
        file.close();
    }

    private static void views() throws MPIException {
        final File file = new File(MPI.COMM_WORLD, name + "2", MPI.MODE_RDWR | MPI.MODE_CREATE | MPI.MODE_EXCL);
        final FileView bytes = file.getView();
        assertEquals(List.of(0L, "native"), List.of(bytes.getDisp(), bytes.getDataRep()));
        assertSame(MPI.BYTE, bytes.getEType());
        assertSame(MPI.BYTE, bytes.getFileType());
        file.setView(8L * rank, MPI.DOUBLE, MPI.DOUBLE, "external32");
        final FileView view = file.getView();
        assertEquals(List.of(8L * rank, "external32"), List.of(view.getDisp(), view.getDataRep()));
        final FileView other = new FileView(5, MPI.INT, MPI.INT2, "internal");
        assertEquals(5, other.getDisp());
        assertSame(MPI.INT, other.getEType());
        assertSame(MPI.INT2, other.getFileType());
        assertEquals("internal", other.getDataRep());
        file.writeAt(0, new double[] {rank + 0.5}, 1, MPI.DOUBLE);
        file.sync();
        meet();
        file.setView(0, MPI.BYTE, MPI.BYTE, "native");
        final ByteBuffer raw = MPI.newByteBuffer(8 * size);
        file.readAt(0, raw, 8 * size, MPI.BYTE);
        for (int r = 0; r < size; r++) {
            assertEquals(r + 0.5, raw.order(java.nio.ByteOrder.BIG_ENDIAN).getDouble(8 * r));
        }
        assertEquals(8, file.getTypeExtent(MPI.DOUBLE));
        meet();
        file.close();
    }

    private static void properties() throws MPIException {
        final Info hints = new Info();
        hints.set("cb_nodes", "1");
        hints.set("striping_unit", "65536");
        final File file = new File(MPI.COMM_WORLD, name, MPI.MODE_RDWR | MPI.MODE_UNIQUE_OPEN, hints);
        assertEquals("1", file.getInfo().get("cb_nodes"));
        assertEquals("65536", file.getInfo().get("striping_unit"));
        assertFalse(file.getInfo().get("tutti_file_system").isEmpty());
        hints.set("cb_buffer_size", "10000");
        file.setInfo(hints);
        assertEquals("12288", file.getInfo().get("cb_buffer_size"));
        assertEquals(MPI.MODE_RDWR | MPI.MODE_UNIQUE_OPEN, file.getAMode());
        final Group group = file.getGroup();
        assertEquals(MPI.IDENT, Group.compare(group, MPI.COMM_WORLD.getGroup()));
        group.free();
        file.setSize(1_000);
        assertEquals(1_000, file.getSize());
        meet();
        file.preallocate(5_000);
        assertEquals(5_000, file.getSize());
        assertFalse(file.getAtomicity());
        file.setAtomicity(true);
        assertTrue(file.getAtomicity());
        file.writeAt(0, new byte[] {1, 2}, 2, MPI.BYTE);
        file.setAtomicity(false);
        meet();
        file.close();
    }

    private static void errors() throws MPIException {
        fails(MPI.ERR_NO_SUCH_FILE, () -> new File(MPI.COMM_WORLD, name + "3", MPI.MODE_RDWR));
        fails(MPI.ERR_NO_SUCH_FILE, () -> File.delete(name + "3"));
        fails(MPI.ERR_FILE_EXISTS, () -> new File(MPI.COMM_WORLD, name, MPI.MODE_RDWR | MPI.MODE_CREATE | MPI.MODE_EXCL));
        fails(MPI.ERR_AMODE, () -> new File(MPI.COMM_WORLD, name, 0));
        fails(MPI.ERR_BAD_FILE, () -> new File(MPI.COMM_WORLD, "", MPI.MODE_RDONLY));
        fails(MPI.ERR_COMM, () -> new File(null, name, MPI.MODE_RDONLY));
        final File file = ints(MPI.MODE_RDONLY);
        fails(MPI.ERR_READ_ONLY, () -> file.write(new int[1], 1, MPI.INT));
        fails(MPI.ERR_READ_ONLY, file::sync);
        fails(MPI.ERR_ARG, () -> file.seek(0, 7));
        fails(MPI.ERR_ARG, () -> file.readAt(-1, new int[1], 1, MPI.INT));
        fails(MPI.ERR_BUFFER, () -> file.readAll(new int[1], 2, MPI.INT));
        fails(MPI.ERR_TYPE, () -> file.read(new byte[3], 3, MPI.BYTE));
        fails(MPI.ERR_UNSUPPORTED_DATAREP, () -> file.setView(0, MPI.INT, MPI.INT, "xdr"));
        file.close();
        fails(MPI.ERR_FILE, file::getSize);
        fails(MPI.ERR_FILE, file::close);
    }

    private static void errorHandlers() throws MPIException {
        final File file = ints(MPI.MODE_RDONLY | MPI.MODE_SEQUENTIAL);
        assertSame(MPI.ERRORS_RETURN, file.getErrhandler());
        final AtomicInteger calls = new AtomicInteger();
        final Errhandler counting = new Errhandler((comm, error) -> calls.incrementAndGet());
        file.setErrhandler(counting);
        fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.read(new int[1], 1, MPI.INT));
        file.callErrhandler(MPI.ERR_IO);
        assertEquals(2, calls.get());
        file.setView(MPI.DISPLACEMENT_CURRENT, MPI.INT, MPI.INT, "native");
        meet();
        file.close();
    }
}
