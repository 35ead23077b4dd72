package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.File;
import mpi.Info;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.function.Executable;

/** Files: what programs do with views: filetypes of each kind, arrays that are distributed, gaps in memory and file, and representations. */
public final class FileViews {
    private static final int TEMPORARY = MPI.MODE_RDWR | MPI.MODE_CREATE | MPI.MODE_DELETE_ON_CLOSE;
    private static final int GAP = -999;
    /** Ways to access a file: alone or together, each blocking and not. */
    private static final int WAYS = 4;

    private static int rank;
    private static int size;
    private static Path dir;

    private FileViews() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        dir = FileBehaviours.newFolder();
        resizedTypes();
        blocksBehindAHeader();
        blocksWithoutElements();
        typesWithoutDataOnSomeRanks();
        blocksOfAMatrix();
        blockCyclicMatrix();
        slabsOfACube();
        gapsInMemoryAndFile();
        smallBuffersOfAggregators();
        recordsOfSeveralTypes();
        viewsThatChange();
        columnsWrittenAndRowsRead();
        largeExtents();
        externalBytesOfEachType();
        externalRecords();
        filetypesThatFall();
        MPI.COMM_WORLD.barrier();
        if (rank == 0) {
            Files.delete(dir);
        }
    }

    private static File open(final String name) throws MPIException {
        return new File(MPI.COMM_WORLD, dir.resolve(name).toString(), TEMPORARY);
    }

    private static int[] numbers(final int from, final int count) {
        return IntStream.range(from, from + count).toArray();
    }

    private static IntBuffer ints(final int... values) {
        return MPI.newIntBuffer(values.length).put(0, values);
    }

    private static int[] array(final IntBuffer buffer) {
        final int[] values = new int[buffer.capacity()];
        buffer.get(0, values);
        return values;
    }

    private static int[] filled(final int count, final int value) {
        final int[] values = new int[count];
        Arrays.fill(values, value);
        return values;
    }

    private static void meet() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    private static Datatype committed(final Datatype type) throws MPIException {
        type.commit();
        return type;
    }

    /** Sets a view of all integers, and returns those of the file, padded to a number of them. */
    private static int[] content(final File file, final int count) throws MPIException {
        FileBehaviours.settle(file);
        file.setView(0, MPI.INT, MPI.INT, "native");
        final int[] all = new int[count];
        file.readAtAll(0, all, count, MPI.INT);
        meet();
        return all;
    }

    /** Writes a number to the first integers of the file. */
    private static void fill(final File file, final int count, final int value) throws MPIException {
        file.setView(0, MPI.INT, MPI.INT, "native");
        if (rank == 0) {
            file.writeAt(0, filled(count, value), count, MPI.INT);
        }
        FileBehaviours.settle(file);
    }

    private static void write(final int way, final File file, final IntBuffer data, final int count, final Datatype type) throws MPIException {
        switch (way) {
            case 0 -> file.writeAt(0, data, count, type);
            case 1 -> file.writeAtAll(0, data, count, type);
            case 2 -> file.iWriteAt(0, data, count, type).waitFor();
            default -> file.iWriteAtAll(0, data, count, type).waitFor();
        }
    }

    private static int read(final int way, final File file, final IntBuffer data, final int count, final Datatype type) throws MPIException {
        return (switch (way) {
            case 0 -> file.readAt(0, data, count, type);
            case 1 -> file.readAtAll(0, data, count, type);
            case 2 -> file.iReadAt(0, data, count, type).waitStatus();
            default -> file.iReadAtAll(0, data, count, type).waitStatus();
        }).getElements(MPI.INT);
    }

    /** A filetype with another lower bound or extent: its data is where it is, and repeats after the extent. */
    private static void resizedTypes() throws MPIException {
        final Datatype atFour = Datatype.createStruct(new int[] {1}, new int[] {4}, new Datatype[] {MPI.INT});
        for (final Datatype type : List.of(Datatype.createResized(MPI.INT, 4, 12), Datatype.createResized(MPI.INT, 0, 12),
            Datatype.createResized(atFour, 4, 12), Datatype.createResized(atFour, 0, 12))) {
            type.commit();
            final int first = type.getTrueLb() / 4;
            try (File file = open("resized")) {
                fill(file, 3 * 2 * size + 2, GAP);
                file.setView(24L * rank, MPI.INT, type, "native");
                file.writeAll(new int[] {10 * rank, 10 * rank + 1}, 2, MPI.INT);
                final int[] got = new int[2];
                assertEquals(2, file.readAtAll(0, got, 2, MPI.INT).getCount(MPI.INT));
                assertArrayEquals(new int[] {10 * rank, 10 * rank + 1}, got);
                final int[] wanted = filled(3 * 2 * size + 2, GAP);
                for (int i = 0; i < 2 * size; i++) {
                    wanted[first + 3 * i] = 10 * (i / 2) + i % 2;
                }
                assertArrayEquals(wanted, content(file, wanted.length));
            }
            type.free();
        }
    }

    /** Indexed blocks begin behind a header and have gaps between: only they are written, in each repetition. */
    private static void blocksBehindAHeader() throws MPIException {
        final Datatype blocks = Datatype.createHIndexed(new int[] {2, 3}, new int[] {16, 32}, MPI.INT);
        final Datatype type = committed(Datatype.createResized(blocks, 0, 48));
        for (int way = 0; way < WAYS; way++) {
            try (File file = open("header")) {
                file.setView(48L * 2 * rank, MPI.INT, type, "native");
                write(way, file, ints(numbers(100 * rank + way, 10)), 10, MPI.INT);
                final int[] wanted = new int[24 * size];
                for (int i = 0; i < 10 * size; i++) {
                    final int in = i % 5;
                    wanted[i / 5 * 12 + (in < 2 ? 4 + in : 6 + in)] = 100 * (i / 10) + way + i % 10;
                }
                final int[] found = content(file, 24 * size);
                assertArrayEquals(wanted, found);
                assertEquals(4L * (24 * size - 1), file.getSize());
                meet();
                file.setView(48L * 2 * rank, MPI.INT, type, "native");
                final IntBuffer got = MPI.newIntBuffer(10);
                assertEquals(10, read(way, file, got, 10, MPI.INT));
                assertArrayEquals(numbers(100 * rank + way, 10), array(got));
                meet();
            }
        }
        type.free();
    }

    /** Blocks of length 0, at the begin, in the middle and at the end of a filetype, show nothing. */
    private static void blocksWithoutElements() throws MPIException {
        final int each = 3 * size;
        for (int kind = 0; kind < 3; kind++) {
            final int[] lengths = {0, 1, 0, 2, 0};
            final int[] bytes = {0, 12 * rank, 12 * rank + 8, 12 * rank + 4, 4 * each};
            final Datatype made = switch (kind) {
                case 0 -> Datatype.createHIndexed(lengths, bytes, MPI.INT);
                case 1 -> Datatype.createIndexed(lengths, Arrays.stream(bytes).map(b -> b / 4).toArray(), MPI.INT);
                default -> Datatype.createStruct(lengths, bytes, new Datatype[] {MPI.DOUBLE, MPI.INT, MPI.BYTE, MPI.INT, MPI.LONG});
            };
            final Datatype type = committed(Datatype.createResized(made, 0, 4 * each));
            for (int way = 0; way < WAYS; way++) {
                try (File file = open("zeros")) {
                    fill(file, 4 * each, GAP);
                    file.setView(0, MPI.INT, type, "native");
                    write(way, file, ints(numbers(50 * rank, 7)), 7, MPI.INT);
                    final int[] wanted = filled(4 * each, GAP);
                    for (int r = 0; r < size; r++) {
                        for (int i = 0; i < 7; i++) {
                            wanted[i / 3 * each + 3 * r + i % 3] = 50 * r + i;
                        }
                    }
                    assertArrayEquals(wanted, content(file, 4 * each));
                    file.setView(0, MPI.INT, type, "native");
                    final IntBuffer got = MPI.newIntBuffer(7);
                    assertEquals(7, read(way, file, got, 7, MPI.INT));
                    assertArrayEquals(numbers(50 * rank, 7), array(got));
                    meet();
                }
            }
            type.free();
        }
    }

    /** The filetypes of some ranks have no data: they take part in collective calls with a count of 0. */
    private static void typesWithoutDataOnSomeRanks() throws MPIException {
        final boolean hasData = rank % 2 == 0;
        final int ranks = (size + 1) / 2;
        final Datatype blocks = Datatype.createIndexed(new int[] {hasData ? 1 : 0}, new int[] {rank / 2}, MPI.INT);
        final Datatype type = committed(hasData ? Datatype.createResized(blocks, 0, 4 * ranks) : blocks);
        try (File file = open("no data")) {
            file.setView(0, MPI.INT, type, "native");
            final int count = hasData ? 5 : 0;
            assertEquals(count, file.writeAll(numbers(10 * rank, 5), count, MPI.INT).getCount(MPI.INT));
            final int[] got = new int[5];
            assertEquals(count, file.readAtAll(0, got, count, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(hasData ? numbers(10 * rank, 5) : new int[5], got);
            final int[] all = content(file, 5 * ranks);
            for (int i = 0; i < all.length; i++) {
                assertEquals(20 * (i % ranks) + i / ranks, all[i]);
            }
        }
        type.free();
    }

    /** Each rank has rows of a matrix in two blocks of columns: a part of each row is its own. */
    private static void blocksOfAMatrix() throws MPIException {
        final int rows = 6;
        final int width = 4 * size;
        // rank r has columns 2 r and 2 r + 1 of the left half, and as many of the right half in reversed order of ranks
        final int[] lengths = filled(2 * rows, 2);
        final int[] starts = new int[2 * rows];
        for (int y = 0; y < rows; y++) {
            starts[2 * y] = 4 * (y * width + 2 * rank);
            starts[2 * y + 1] = 4 * (y * width + 2 * size + 2 * (size - 1 - rank));
        }
        final Datatype type = committed(Datatype.createHIndexed(lengths, starts, MPI.INT));
        for (int way = 0; way < WAYS; way++) {
            try (File file = open("matrix")) {
                file.setView(0, MPI.INT, type, "native");
                write(way, file, ints(numbers(1_000 * rank, 4 * rows)), 4 * rows, MPI.INT);
                final int[] all = content(file, rows * width);
                for (int i = 0; i < all.length; i++) {
                    final int x = i % width;
                    final int of = x < 2 * size ? x / 2 : size - 1 - (x - 2 * size) / 2;
                    assertEquals(1_000 * of + 4 * (i / width) + (x < 2 * size ? 0 : 2) + x % 2, all[i], "element " + i);
                }
            }
        }
        type.free();
    }

    /** A matrix that is distributed to a row of ranks by cyclic blocks of 2 columns, of which the last is cut, is read and written. */
    private static void blockCyclicMatrix() throws MPIException {
        final int width = 2 * size * 2 + 3;
        final int rows = 5;
        final int[] columns = IntStream.range(0, width).filter(x -> x / 2 % size == rank).toArray();
        final Datatype row = Datatype.createIndexed(filled(columns.length, 1), columns, MPI.INT);
        final Datatype type = committed(Datatype.createResized(row, 0, 4 * width));
        try (File file = open("cyclic")) {
            file.setView(0, MPI.INT, MPI.INT, "native");
            if (rank == 0) {
                file.writeAt(0, numbers(0, rows * width), rows * width, MPI.INT);
            }
            FileBehaviours.settle(file);
            final int count = rows * columns.length;
            for (int way = 0; way < WAYS; way++) {
                file.setView(0, MPI.INT, type, "native");
                final IntBuffer got = MPI.newIntBuffer(count);
                assertEquals(count, read(way, file, got, count, MPI.INT));
                for (int i = 0; i < count; i++) {
                    final int wanted = i / columns.length * width + columns[i % columns.length] + way;
                    assertEquals(wanted, got.get(i));
                    got.put(i, wanted + 1);
                }
                meet();
                write(way, file, got, count, MPI.INT);
                assertArrayEquals(numbers(way + 1, rows * width), content(file, rows * width));
            }
        }
        type.free();
    }

    /** A cube is cut in slabs along its second dimension, by vectors of vectors; memory has a halo around each line. */
    private static void slabsOfACube() throws MPIException {
        final int side = 3;
        final int middle = 2 * size;
        // the file has side x middle x side numbers, the memory of a rank side x 2 x (side + 2)
        final Datatype lines = Datatype.createVector(1, 2 * side, middle * side, MPI.INT);
        final Datatype slabs = Datatype.createHVector(side, 1, 4 * middle * side, lines);
        final Datatype inMemory = committed(Datatype.createIndexed(filled(2 * side, side), IntStream.range(0, 2 * side).map(i -> i * (side + 2) + 1)
            .toArray(), MPI.INT));
        slabs.commit();
        final int total = side * middle * side;
        final IntBuffer memory = ints(filled(2 * side * (side + 2), -1));
        for (int i = 0; i < 2 * side * side; i++) {
            final int line = i / side;
            memory.put(line * (side + 2) + 1 + i % side, (line / 2 * middle + 2 * rank + line % 2) * side + i % side);
        }
        final int[] whole = array(memory);
        for (int way = 0; way < WAYS; way++) {
            try (File file = open("cube")) {
                file.setView(4L * 2 * side * rank, MPI.INT, slabs, "native");
                write(way, file, memory, 1, inMemory);
                FileBehaviours.settle(file);
                final IntBuffer got = ints(filled(memory.capacity(), -1));
                assertEquals(2 * side * side, read(way, file, got, 1, inMemory));
                assertArrayEquals(whole, array(got));
                assertArrayEquals(numbers(0, total), content(file, total));
            }
        }
        slabs.free();
        inMemory.free();
    }

    /** Data has gaps in memory, in the file, in both, or in none: what is in the gaps stays. */
    private static void gapsInMemoryAndFile() throws MPIException {
        final int count = 600;
        final Datatype memoryType = committed(Datatype.createVector(count, 1, 2, MPI.INT));
        final Datatype fileType = committed(Datatype.createResized(Datatype.createVector(2, 1, size + 1, MPI.INT), 0, 8 * (size + 1)));
        final int[] gaps = filled(2 * count, GAP);
        final int[] data = gaps.clone();
        for (int i = 0; i < count; i++) {
            data[2 * i] = 1_000 * rank + i;
        }
        for (int way = 0; way < 4 * WAYS; way++) {
            final boolean inMemory = way / WAYS % 2 == 1;
            final boolean inFile = way / WAYS / 2 == 1;
            final int length = (size + 1) * count;
            try (File file = open("gaps")) {
                fill(file, length, GAP);
                setGaps(file, inFile, fileType, count);
                final IntBuffer source = inMemory ? ints(data) : ints(numbers(1_000 * rank, count));
                write(way % WAYS, file, source, inMemory ? 1 : count, inMemory ? memoryType : MPI.INT);
                final int[] wanted = filled(length, GAP);
                for (int r = 0; r < size; r++) {
                    for (int i = 0; i < count; i++) {
                        wanted[inFile ? i * (size + 1) + r : r * count + i] = 1_000 * r + i;
                    }
                }
                assertArrayEquals(wanted, content(file, length), "way " + way);
                setGaps(file, inFile, fileType, count);
                final IntBuffer got = ints(inMemory ? gaps : new int[count]);
                assertEquals(count, read(way % WAYS, file, got, inMemory ? 1 : count, inMemory ? memoryType : MPI.INT));
                assertArrayEquals(inMemory ? data : numbers(1_000 * rank, count), array(got), "way " + way);
                meet();
            }
        }
        memoryType.free();
        fileType.free();
    }

    private static void setGaps(final File file, final boolean isIn, final Datatype fileType, final int count) throws MPIException {
        file.setView(isIn ? 4L * rank : 4L * rank * count, MPI.INT, isIn ? fileType : MPI.INT, "native");
    }

    /** Collective accesses give the same with any number of aggregators and buffers that are much smaller than the data, or without any exchange. */
    private static void smallBuffersOfAggregators() throws MPIException {
        final int count = 5_000;
        final Datatype every = committed(Datatype.createResized(MPI.INT, 0, 4 * size));
        for (int nodes = 0; nodes <= size + 1; nodes++) {
            final Info hints = new Info();
            hints.set("cb_nodes", Integer.toString(nodes));
            hints.set("cb_buffer_size", nodes % 2 == 0 ? "4096" : "100000");
            hints.set("collective_buffering", Boolean.toString(nodes <= size));
            hints.set("romio_ds_read", nodes % 2 == 0 ? "disable" : "automatic");
            try (File file = new File(MPI.COMM_WORLD, dir.resolve("aggregators").toString(), TEMPORARY, hints)) {
                file.setView(4L * rank, MPI.INT, every, "native");
                // parts of different lengths, of which the last begins behind a hole
                file.writeAtAll(0, numbers(0, count + rank), count + rank, MPI.INT);
                file.writeAtAll(2L * count + 100 * rank, numbers(-rank, 100), 100, MPI.INT);
                final int[] got = new int[count + rank];
                assertEquals(count + rank, file.readAtAll(0, got, count + rank, MPI.INT).getCount(MPI.INT));
                assertArrayEquals(numbers(0, count + rank), got);
                file.seek(2 * count + 100 * rank - 1, MPI.SEEK_SET);
                assertEquals(101, file.readAll(got, 101, MPI.INT).getCount(MPI.INT));
                assertEquals(0, got[0]);
                assertArrayEquals(numbers(-rank, 100), Arrays.copyOfRange(got, 1, 101));
                assertEquals(4L * size * (2 * count + 100 * size) - 4 * size + 4 * rank + 4,
                    file.getByteOffset(2L * count + 100 * size - 1) + 4);
                meet();
            }
            hints.free();
        }
        every.free();
    }

    /** Records of a short, two doubles and three bytes are written and read as they are in memory, and the etype is the record. */
    private static void recordsOfSeveralTypes() throws MPIException {
        final Datatype parts = Datatype.createStruct(new int[] {1, 2, 3}, new int[] {0, 8, 24}, new Datatype[] {MPI.SHORT, MPI.DOUBLE, MPI.BYTE});
        final Datatype record = committed(Datatype.createResized(parts, 0, 32));
        final Datatype every = committed(Datatype.createResized(record, 0, 32 * size));
        final int count = 20;
        final ByteBuffer data = MPI.newByteBuffer(32 * count);
        for (int i = 0; i < data.capacity(); i++) {
            final int at = i % 32;
            data.put(i, at < 2 || at >= 8 && at < 27 ? (byte) (i + 3 * rank) : 0);
        }
        try (File file = open("struct")) {
            file.setView(32L * rank, record, every, "native");
            assertEquals(count, file.writeAtAll(2, data, count, record).getCount(record));
            assertEquals(List.of(32L * rank, 32L * (rank + 3L * size)), List.of(file.getByteOffset(0), file.getByteOffset(3)));
            final ByteBuffer got = MPI.newByteBuffer(32 * count);
            file.seek(2, MPI.SEEK_SET);
            assertEquals(count, file.readAll(got, count, record).getCount(record));
            assertEquals(data, got);
            assertEquals(2 + count, file.getPosition());
            FileBehaviours.settle(file);
            file.setView(0, MPI.BYTE, MPI.BYTE, "native");
            final byte[] raw = new byte[32];
            file.readAt(32L * (size * 2 + (size - 1)), raw, 32, MPI.BYTE);
            for (int i = 0; i < 32; i++) {
                assertEquals(i < 2 || i >= 8 && i < 27 ? (byte) (i + 3 * (size - 1)) : 0, raw[i]);
            }
            meet();
        }
        record.free();
        every.free();
    }

    /** A view that is set anew moves both pointers to its begin; accesses before and after it are in their views. */
    private static void viewsThatChange() throws MPIException {
        final Datatype every = committed(Datatype.createResized(MPI.INT, 0, 4 * size));
        try (File file = open("changes")) {
            file.setView(0, MPI.INT, MPI.INT, "native");
            file.writeOrdered(new int[] {rank, rank + 100}, 2, MPI.INT);
            file.seek(1, MPI.SEEK_SET);
            file.setView(8L * size + 4L * rank, MPI.INT, every, "native");
            assertEquals(List.of(0L, 0L), List.of(file.getPosition(), file.getPositionShared()));
            file.writeAll(new int[] {200 + rank, 300 + rank}, 2, MPI.INT);
            assertEquals(2, file.getPosition());
            final IntBuffer later = ints(500 + rank);
            final mpi.Request request = file.iWrite(later, 1, MPI.INT);
            file.setView(16L * size, MPI.LONG, MPI.LONG, "native");
            assertEquals(0, file.getPosition());
            request.waitFor();
            file.writeAt(size + rank, new long[] {rank + 1L << 32}, 1, MPI.LONG);
            final int[] all = content(file, 8 * size);
            for (int i = 0; i < size; i++) {
                assertEquals(List.of(i, i + 100), List.of(all[2 * i], all[2 * i + 1]));
                assertEquals(List.of(200 + i, 300 + i, 500 + i, 0), List.of(all[2 * size + i], all[3 * size + i], all[4 * size + i],
                    all[5 * size + i]));
                final boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
                assertEquals(i + 1, all[6 * size + 2 * i + (isLittle ? 1 : 0)]);
            }
        }
        every.free();
    }

    /** A matrix that ranks write by columns is read by rows, through another view and another distribution. */
    private static void columnsWrittenAndRowsRead() throws MPIException {
        final int columns = 3;
        final int width = columns * size;
        final int rows = 2 * size;
        final Datatype own = committed(Datatype.createResized(Datatype.createContiguous(columns, MPI.INT), 0, 4 * width));
        try (File file = open("columns")) {
            file.setView(4L * columns * rank, MPI.INT, own, "native");
            final int[] data = new int[rows * columns];
            for (int i = 0; i < data.length; i++) {
                data[i] = i / columns * 1_000 + columns * rank + i % columns;
            }
            file.writeAll(data, data.length, MPI.INT);
            FileBehaviours.settle(file);
            file.setView(0, MPI.INT, MPI.INT, "native");
            final int[] got = new int[2 * width];
            assertEquals(2 * width, file.readAtAll(2L * width * rank, got, 2 * width, MPI.INT).getCount(MPI.INT));
            for (int i = 0; i < got.length; i++) {
                assertEquals((2 * rank + i / width) * 1_000 + i % width, got[i]);
            }
            meet();
        }
        own.free();
    }

    /** Extents and displacements beyond 2 GiB: elements are far apart in a file with holes. */
    private static void largeExtents() throws MPIException {
        final long far = 3L << 30;
        final Datatype type = committed(Datatype.createResized(MPI.INT, 0L, far));
        try (File file = open("large")) {
            file.setView(4L * rank, MPI.INT, type, "native");
            file.writeAtAll(0, new int[] {rank, rank + 10, rank + 20}, 3, MPI.INT);
            assertEquals(2 * far + 4L * rank, file.getByteOffset(2));
            final int[] got = new int[3];
            assertEquals(3, file.readAtAll(0, got, 3, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(new int[] {rank, rank + 10, rank + 20}, got);
            assertEquals(2 * far + 4L * size, file.getSize());
            meet();
        }
        type.free();
    }

    /** In external32 each predefined datatype has the bytes of the standard: big-endian, two's complement and IEEE. */
    private static void externalBytesOfEachType() throws MPIException {
        try (File file = open("external")) {
            external(file, MPI.BYTE, new byte[] {1, -2}, "01fe");
            external(file, MPI.SHORT, new short[] {0x1234, -2}, "1234fffe");
            external(file, MPI.INT, new int[] {0x12345678, -2}, "12345678fffffffe");
            external(file, MPI.LONG, new long[] {0x123456789abcdef0L, -2}, "123456789abcdef0fffffffffffffffe");
            external(file, MPI.FLOAT, new float[] {1.5f, -0.0f}, "3fc0000080000000");
            external(file, MPI.DOUBLE, new double[] {-2.5, Double.POSITIVE_INFINITY}, "c0040000000000007ff0000000000000");
            external(file, MPI.BOOLEAN, new boolean[] {true, false}, "0100");
            final CharBuffer chars = MPI.newCharBuffer(2).put(0, 'A').put(1, '\u20ac');
            external(file, MPI.CHAR, chars, "004120ac");
        }
    }

    private static void external(final File file, final Datatype type, final Object two, final String hex) throws MPIException {
        final int each = hex.length() / 4;
        file.setView(0, type, type, "external32");
        file.writeAtAll(2L * rank, two, 2, type);
        FileBehaviours.settle(file);
        final Object got =
            two instanceof CharBuffer ? MPI.newCharBuffer(2) : java.lang.reflect.Array.newInstance(two.getClass().getComponentType(), 2);
        final int other = (rank + 1) % size;
        assertEquals(2, file.readAtAll(2L * other, got, 2, type).getCount(type));
        if (two instanceof CharBuffer) {
            assertEquals(two, got);
        } else {
            for (int i = 0; i < 2; i++) {
                assertEquals(java.lang.reflect.Array.get(two, i), java.lang.reflect.Array.get(got, i));
            }
        }
        assertEquals(each, file.getTypeExtent(type));
        file.setView(0, MPI.BYTE, MPI.BYTE, "native");
        final byte[] raw = new byte[2 * each * size];
        assertEquals(raw.length, file.readAtAll(0, raw, raw.length, MPI.BYTE).getCount(MPI.BYTE));
        assertEquals(hex.repeat(size), java.util.HexFormat.of().formatHex(raw), type.getName());
        file.setSize(0);
    }

    /** In external32, filetypes and memory with gaps and of several types hold the same numbers. */
    private static void externalRecords() throws MPIException {
        final Datatype inMemory = committed(Datatype.createResized(Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8},
            new Datatype[] {MPI.INT, MPI.DOUBLE}), 0, 16));
        final Datatype inFile = committed(Datatype.createResized(inMemory, 0, 16 * size));
        final ByteBuffer data = MPI.newByteBuffer(32);
        for (int i = 0; i < 2; i++) {
            data.putInt(16 * i, 7 * rank + i).putDouble(16 * i + 8, rank - i / 2.0);
        }
        try (File file = open("external records")) {
            file.setView(16L * rank, inMemory, inFile, "external32");
            assertEquals(2, file.writeAll(data, 2, inMemory).getCount(inMemory));
            final ByteBuffer got = MPI.newByteBuffer(32);
            assertEquals(2, file.readAtAll(0, got, 2, inMemory).getCount(inMemory));
            assertEquals(data, got);
            FileBehaviours.settle(file);
            file.setView(0, MPI.BYTE, MPI.BYTE, "native");
            final byte[] raw = new byte[32 * size];
            file.readAtAll(0, raw, raw.length, MPI.BYTE);
            final ByteBuffer big = ByteBuffer.wrap(raw);
            for (int i = 0; i < 2 * size; i++) {
                final int of = i % size;
                assertEquals(7 * of + i / size, big.getInt(16 * i));
                assertEquals(of - i / size / 2.0, big.getDouble(16 * i + 8));
            }
            meet();
        }
        inMemory.free();
        inFile.free();
    }

    /** Filetypes whose displacements fall, are negative, or overlap where the file is written, are refused on all ranks. */
    private static void filetypesThatFall() throws MPIException {
        final Datatype falls = committed(Datatype.createHIndexed(new int[] {1, 1}, new int[] {8, 0}, MPI.INT));
        final Datatype negative = committed(Datatype.createHIndexed(new int[] {1, 1}, new int[] {-4, 4}, MPI.INT));
        final Datatype overlaps = committed(Datatype.createResized(Datatype.createContiguous(2, MPI.INT), 0, 4));
        try (File file = open("falls")) {
            for (final Datatype type : List.of(falls, negative, overlaps)) {
                fails(() -> file.setView(0, MPI.INT, type, "native"));
                fails(() -> file.setView(0, type, type, "native"));
                fails(() -> file.setView(0, MPI.INT, rank == size - 1 ? type : MPI.INT, "native"));
            }
            file.writeOrdered(new byte[] {5}, 1, MPI.BYTE);
            assertEquals(size, file.getPositionShared());
            meet();
        }
        for (final Datatype type : List.of(falls, negative, overlaps)) {
            type.free();
        }
    }

    private static void fails(final Executable call) {
        assertEquals(MPI.ERR_TYPE, assertThrows(MPIException.class, call).getErrorClass());
    }
}
