package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.File;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;
import org.junit.jupiter.api.function.Executable;

/** Files: what programs do with modes, pointers, requests, the status of accesses, and several files and communicators. */
public final class FileBehaviours {
    private static final int CREATED = MPI.MODE_RDWR | MPI.MODE_CREATE;
    private static final int TEMPORARY = CREATED | MPI.MODE_DELETE_ON_CLOSE;

    private static int rank;
    private static int size;
    private static Path dir;

    private FileBehaviours() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        dir = newFolder();
        fileOfEachRank();
        requestsOfSeveralFiles();
        collectiveRequestsOfTwoFiles();
        countsAtTheEndOfTheFile();
        accessesOfNoElements();
        orderedAccessesOfDifferentCounts();
        recordsAtTheSharedPointer();
        partsOfTheSharedPointerAreReadOnce();
        accessesInTwoCalls();
        appendedData();
        oneCreatorOfAFile();
        deletedOnClose();
        sizesAndSpace();
        atomicOverlaps();
        pointersAndOffsets();
        tapeWithAHeader();
        subcommunicators();
        hintsOfSomeRanks();
        hintsOfCollectiveCalls();
        handlersOfFiles();
        wrongArguments();
        MPI.COMM_WORLD.barrier();
        if (rank == 0) {
            Files.delete(dir);
        }
    }

    /** Creates a folder on rank 0, and tells all ranks its path. */
    static Path newFolder() throws MPIException, IOException {
        final byte[] path = new byte[500];
        if (MPI.COMM_WORLD.getRank() == 0) {
            final byte[] made = Files.createTempDirectory("files").toString().getBytes(StandardCharsets.UTF_8);
            System.arraycopy(made, 0, path, 0, made.length);
        }
        MPI.COMM_WORLD.bcast(path, path.length, MPI.BYTE, 0);
        return Path.of(new String(path, StandardCharsets.UTF_8).replace("\0", ""));
    }

    private static String path(final String name) {
        return dir.resolve(name).toString();
    }

    private static File ints(final Intracomm comm, final String name, final int mode) throws MPIException {
        final File file = new File(comm, path(name), mode);
        file.setView(0, MPI.INT, MPI.INT, "native");
        return file;
    }

    private static int[] numbers(final int from, final int count) {
        return IntStream.range(from, from + count).toArray();
    }

    private static void meet() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    /** Lets all ranks see what all have written. */
    static void settle(final File file) throws MPIException {
        file.sync();
        MPI.COMM_WORLD.barrier();
        file.sync();
    }

    private static void fails(final int errorClass, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(errorClass, e.getErrorClass(), e.getMessage());
    }

    /** Each rank writes a file of its own, opens it again, and reads it. */
    private static void fileOfEachRank() throws MPIException {
        final String name = "own" + rank;
        final int count = 5_000;
        try (File file = ints(MPI.COMM_SELF, name, CREATED)) {
            for (int i = 0; i < 5; i++) {
                assertEquals(count, file.write(numbers(rank + i * count, count), count, MPI.INT).getCount(MPI.INT));
            }
            assertEquals(5 * count, file.getPosition());
        }
        try (File file = ints(MPI.COMM_SELF, name, MPI.MODE_RDONLY | MPI.MODE_DELETE_ON_CLOSE)) {
            assertEquals(20L * count, file.getSize());
            final int[] got = new int[5 * count];
            assertEquals(5 * count, file.readAll(got, 5 * count, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(numbers(rank, 5 * count), got);
        }
    }

    /** Requests of several files are waited for together: all, one of them, or some. */
    private static void requestsOfSeveralFiles() throws MPIException {
        final int count = 20_000;
        final List<File> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            files.add(i < 2 ? ints(MPI.COMM_SELF, "own" + i + "of" + rank, TEMPORARY) : ints(MPI.COMM_WORLD, "of all" + i, TEMPORARY));
        }
        for (int way = 0; way < 4; way++) {
            final Request[] requests = new Request[8];
            for (int i = 0; i < 8; i++) {
                final IntBuffer data = MPI.newIntBuffer(count).put(0, numbers(way * 1_000 + 100 * i + rank, count));
                requests[i] = files.get(i % 4).iWriteAt((long) (i / 4 * size + rank) * count, data, count, MPI.INT);
            }
            await(requests, way, count);
            final IntBuffer[] got = new IntBuffer[8];
            for (int i = 0; i < 8; i++) {
                got[i] = MPI.newIntBuffer(count);
                requests[i] = files.get(i % 4).iReadAt((long) (i / 4 * size + rank) * count, got[i], count, MPI.INT);
            }
            await(requests, 3 - way, count);
            for (int i = 0; i < 8; i++) {
                assertEquals(IntBuffer.wrap(numbers(way * 1_000 + 100 * i + rank, count)), got[i]);
            }
        }
        for (final File file : files) {
            file.close();
        }
    }

    private static void await(final Request[] requests, final int way, final int count) throws MPIException {
        switch (way) {
            case 0 -> {
                for (final Status status : Request.waitAllStatus(requests)) {
                    assertEquals(count, status.getCount(MPI.INT));
                }
            }
            case 1 -> {
                for (int i = 0; i < requests.length; i++) {
                    assertEquals(count, Request.waitAnyStatus(requests).getCount(MPI.INT));
                }
                assertEquals(MPI.UNDEFINED, Request.waitAny(requests));
            }
            case 2 -> {
                int done = 0;
                while (done < requests.length) {
                    for (final Status status : Request.testSomeStatus(requests)) {
                        assertEquals(count, status.getCount(MPI.INT));
                        done++;
                    }
                }
                assertEquals(requests.length, done);
            }
            default -> {
                while (!Request.testAll(requests)) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Collective requests of two files are open at once, and a blocking collective call of one waits for those before it. */
    private static void collectiveRequestsOfTwoFiles() throws MPIException {
        final int count = 3_000;
        final Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        try (File one = new File(MPI.COMM_WORLD, path("one"), TEMPORARY); File two = new File(MPI.COMM_WORLD, path("two"), TEMPORARY)) {
            for (final File file : List.of(one, two)) {
                file.setView(4L * rank, MPI.INT, every, "native");
            }
            final IntBuffer data = MPI.newIntBuffer(count).put(0, numbers(rank, count));
            final IntBuffer more = MPI.newIntBuffer(count).put(0, numbers(-rank, count));
            final Request[] writes = {one.iWriteAll(data, count, MPI.INT), two.iWriteAll(more, count, MPI.INT), one.iWriteAll(more, count, MPI.INT),
                two.iWriteAtAll(count, data, count, MPI.INT)};
            final int[] got = new int[2 * count];
            assertEquals(2 * count, one.readAtAll(0, got, 2 * count, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(IntStream.concat(Arrays.stream(numbers(rank, count)), Arrays.stream(numbers(-rank, count))).toArray(), got);
            Request.waitAll(writes);
            two.seek(0, MPI.SEEK_SET);
            final IntBuffer first = MPI.newIntBuffer(count);
            final IntBuffer second = MPI.newIntBuffer(count);
            final Request[] reads = {two.iReadAll(first, count, MPI.INT), one.iReadAtAll(count, second, count, MPI.INT)};
            for (final int i : new int[] {1, 0}) {
                assertEquals(count, reads[i].waitStatus().getCount(MPI.INT));
            }
            assertEquals(more, first);
            assertEquals(more, second);
        }
        every.free();
    }

    /** The status of a read has the number of elements that were there, also of elements of a derived type that were there in part. */
    private static void countsAtTheEndOfTheFile() throws MPIException {
        final Datatype triple = Datatype.createContiguous(3, MPI.INT);
        triple.commit();
        try (File file = ints(MPI.COMM_WORLD, "short", TEMPORARY)) {
            final int count = 1_000;
            file.writeAtAll((long) rank * count, numbers(0, count), count, MPI.INT);
            final int total = size * count;
            final int[] got = new int[total];
            final IntBuffer buffer = MPI.newIntBuffer(total);
            settle(file);
            final List<Status> all = new ArrayList<>();
            all.add(file.readAt(total - 5, got, 9, MPI.INT));
            all.add(file.readAtAll(total - 5, got, 9 + rank, MPI.INT));
            all.add(file.iReadAt(total - 5, buffer, 9, MPI.INT).waitStatus());
            all.add(file.iReadAtAll(total - 5, buffer, 9, MPI.INT).waitStatus());
            file.seek(-5, MPI.SEEK_END);
            all.add(file.read(got, 9, MPI.INT));
            file.seek(-5, MPI.SEEK_END);
            all.add(file.readAll(got, total, MPI.INT));
            for (final Status status : all) {
                assertEquals(5, status.getCount(MPI.INT));
                assertEquals(20, status.getElements(MPI.BYTE));
                assertEquals(MPI.UNDEFINED, status.getCount(triple));
                assertEquals(5, status.getElements(triple));
            }
            assertEquals(0, file.readAt(total, got, 1, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.readAtAll(total + 100 * rank, got, 1, MPI.INT).getCount(MPI.INT));
            meet();
            file.seekShared(-size, MPI.SEEK_END);
            final Status ordered = file.readOrdered(got, 2, MPI.INT);
            final int left = Math.clamp(size - 2L * rank, 0, 2);
            assertEquals(left, ordered.getCount(MPI.INT));
            meet();
            file.seekShared(-1, MPI.SEEK_END);
            final int[] one = {file.readShared(got, 4, MPI.INT).getCount(MPI.INT)};
            MPI.COMM_WORLD.allReduce(one, 1, MPI.INT, MPI.SUM);
            assertEquals(1, one[0]);
        }
        triple.free();
    }

    /** Accesses of no elements have a count of 0 and move no pointer; collective ones may be so on some ranks, or on all. */
    private static void accessesOfNoElements() throws MPIException {
        try (File file = ints(MPI.COMM_WORLD, "none", TEMPORARY)) {
            final int[] data = {rank};
            for (final boolean isEach : new boolean[] {false, true}) {
                final int count = isEach || rank % 2 == 1 ? 0 : 1;
                assertEquals(count, file.writeAtAll(rank, data, count, MPI.INT).getCount(MPI.INT));
                assertEquals(count, file.readAtAll(rank, data, count, MPI.INT).getCount(MPI.INT));
                assertEquals(count, file.writeOrdered(data, count, MPI.INT).getCount(MPI.INT));
                assertEquals(count, file.iWriteAll(MPI.newIntBuffer(1).put(0, rank), count, MPI.INT).waitStatus().getCount(MPI.INT));
            }
            final long shared = file.getPositionShared();
            assertEquals((size + 1) / 2, shared);
            assertEquals(rank % 2 == 1 ? 0 : 1, file.getPosition());
            meet();
            assertEquals(0, file.read(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.write(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.readShared(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.writeShared(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.readOrdered(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.readAll(data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(0, file.readAt(1_000, data, 0, MPI.INT).getCount(MPI.INT));
            assertEquals(shared, file.getPositionShared());
            assertEquals(rank % 2 == 1 ? 0 : 1, file.getPosition());
            meet();
        }
    }

    /** Ordered accesses follow the order of the ranks, whatever their counts are; what one round wrote follows the round before. */
    private static void orderedAccessesOfDifferentCounts() throws MPIException {
        try (File file = ints(MPI.COMM_WORLD, "ordered", TEMPORARY)) {
            final int rounds = 4;
            final int[] wanted = new int[rounds * size * (2 * size + rounds)];
            int total = 0;
            for (int round = 0; round < rounds; round++) {
                for (int r = 0; r < size; r++) {
                    final int count = (r + round) % 3 * (r + 1);
                    final int[] data = numbers(10_000 * round + 100 * r, count);
                    if (r == rank) {
                        final Status status = round % 2 == 0 ? file.writeOrdered(data, count, MPI.INT) : twoCalls(file, data, count);
                        assertEquals(count, status.getCount(MPI.INT));
                    }
                    System.arraycopy(data, 0, wanted, total, count);
                    total += count;
                }
            }
            settle(file);
            assertEquals(total, file.getPositionShared());
            assertEquals(4L * total, file.getSize());
            final int[] got = new int[total + 1];
            assertEquals(total, file.readAtAll(0, got, total + 1, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(Arrays.copyOf(wanted, total), Arrays.copyOf(got, total));
            meet();
            file.seekShared(1, MPI.SEEK_SET);
            final int from = 1 + 2 * rank;
            final int count = Math.clamp(total - (long) from, 0, 2);
            assertEquals(count, file.readOrdered(got, 2, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(Arrays.copyOfRange(wanted, from, from + count), Arrays.copyOf(got, count));
        }
    }

    private static Status twoCalls(final File file, final int[] data, final int count) throws MPIException {
        file.writeOrderedBegin(data, count, MPI.INT);
        return file.writeOrderedEnd(data);
    }

    /** Records that ranks write at the shared pointer are there once each, and none is torn. */
    private static void recordsAtTheSharedPointer() throws MPIException {
        final int each = 25;
        final int length = 7;
        try (File file = ints(MPI.COMM_WORLD, "records", TEMPORARY)) {
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                final int[] record = new int[length];
                Arrays.fill(record, rank * each + i);
                if (i % 2 == 0) {
                    assertEquals(length, file.writeShared(record, length, MPI.INT).getCount(MPI.INT));
                } else {
                    requests.add(file.iWriteShared(MPI.newIntBuffer(length).put(0, record), length, MPI.INT));
                }
            }
            Request.waitAll(requests.toArray(Request[]::new));
            settle(file);
            assertEquals((long) each * size * length, file.getPositionShared());
            final int[] all = new int[each * size * length];
            file.readAt(0, all, all.length, MPI.INT);
            final int[] found = new int[each * size];
            for (int i = 0; i < found.length; i++) {
                found[i] = all[i * length];
                for (int j = 1; j < length; j++) {
                    assertEquals(found[i], all[i * length + j], "record " + i);
                }
            }
            Arrays.sort(found);
            assertArrayEquals(numbers(0, found.length), found);
            meet();
        }
    }

    /** Ranks that read at the shared pointer share the elements: each is read once, also by requests. */
    private static void partsOfTheSharedPointerAreReadOnce() throws MPIException {
        final int count = 60;
        try (File file = ints(MPI.COMM_WORLD, "parts", TEMPORARY)) {
            if (rank == 0) {
                file.writeAt(0, numbers(0, count * size), count * size, MPI.INT);
            }
            settle(file);
            final int[] seen = new int[count * size];
            for (int i = 0; i < count / 3; i++) {
                final IntBuffer got = MPI.newIntBuffer(3);
                if (i % 2 == 0) {
                    file.readShared(got, 3, MPI.INT);
                } else {
                    assertEquals(3, file.iReadShared(got, 3, MPI.INT).waitStatus().getCount(MPI.INT));
                }
                assertEquals(List.of(got.get(0) + 1, got.get(0) + 2), List.of(got.get(1), got.get(2)));
                for (int j = 0; j < 3; j++) {
                    seen[got.get(j)]++;
                }
            }
            MPI.COMM_WORLD.allReduce(seen, seen.length, MPI.INT, MPI.SUM);
            for (final int times : seen) {
                assertEquals(1, times);
            }
        }
    }

    /** Each kind of collective access in two calls does as in one; other accesses may be made between, but not other collective ones. */
    private static void accessesInTwoCalls() throws MPIException {
        final int count = 500;
        final Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        try (File file = new File(MPI.COMM_WORLD, path("two calls"), TEMPORARY)) {
            file.setView(4L * rank, MPI.INT, every, "native");
            final int[] data = numbers(1_000 * rank, count);
            file.writeAllBegin(data, count, MPI.INT);
            file.writeAt(count, new int[] {-rank}, 1, MPI.INT);
            fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.writeAtAllBegin(0, data, 1, MPI.INT));
            assertEquals(count, file.writeAllEnd(data).getCount(MPI.INT));
            assertEquals(count, file.getPosition());
            file.writeAtAllBegin(count + 1, data, count, MPI.INT);
            assertEquals(count, file.writeAtAllEnd(data).getCount(MPI.INT));
            settle(file);
            final int[] got = new int[2 * count + 5];
            file.readAtAllBegin(0, got, 2 * count + 5, MPI.INT);
            assertEquals(2 * count + 1, file.readAtAllEnd(got).getCount(MPI.INT));
            assertArrayEquals(data, Arrays.copyOf(got, count));
            assertEquals(-rank, got[count]);
            assertArrayEquals(data, Arrays.copyOfRange(got, count + 1, 2 * count + 1));
            file.seek(1, MPI.SEEK_SET);
            file.readAllBegin(got, count - 1, MPI.INT);
            assertEquals(count - 1, file.readAllEnd(got).getCount(MPI.INT));
            assertArrayEquals(Arrays.copyOfRange(data, 1, count), Arrays.copyOf(got, count - 1));
            file.setView(0, MPI.INT, MPI.INT, "native");
            file.readOrderedBegin(got, 3, MPI.INT);
            assertEquals(3, file.readOrderedEnd(got).getCount(MPI.INT));
            for (int i = 0; i < 3; i++) {
                final int at = 3 * rank + i;
                assertEquals(1_000 * (at % size) + at / size, got[i]);
            }
            final int[] ordered = {-1 - rank};
            file.writeOrderedBegin(ordered, 1, MPI.INT);
            file.writeOrderedEnd(ordered);
            settle(file);
            file.readAt(3L * size + rank, got, 1, MPI.INT);
            assertEquals(-1 - rank, got[0]);
            meet();
        }
        every.free();
    }

    /** Append mode sets both pointers to the end of the file when it is opened. */
    private static void appendedData() throws MPIException {
        for (int i = 0; i < 3; i++) {
            final int last = i == 2 ? MPI.MODE_DELETE_ON_CLOSE : 0;
            try (File file = new File(MPI.COMM_WORLD, path("appended"), CREATED | MPI.MODE_APPEND | last)) {
                assertEquals((long) i * (size + 3), file.getSize());
                assertEquals(file.getSize(), file.getPosition());
                assertEquals(file.getSize(), file.getPositionShared());
                meet();
                file.writeOrdered(new byte[] {(byte) (10 * i + rank)}, 1, MPI.BYTE);
                if (rank == 0) {
                    file.seek(0, MPI.SEEK_END);
                    file.write(new byte[] {-1, -2, -3}, 3, MPI.BYTE);
                }
                settle(file);
                if (i == 2) {
                    final byte[] all = new byte[3 * (size + 3)];
                    file.readAt(0, all, all.length, MPI.BYTE);
                    for (int k = 0; k < all.length; k++) {
                        final int at = k % (size + 3);
                        assertEquals(at < size ? 10 * (k / (size + 3)) + at : size - 1 - at, all[k], "byte " + k);
                    }
                    meet();
                }
            }
        }
    }

    /** Of ranks that each create the same file exclusively, one does; then all open it, and together they cannot create it. */
    private static void oneCreatorOfAFile() throws MPIException {
        final int exclusive = CREATED | MPI.MODE_EXCL;
        int created = 0;
        try (File file = new File(MPI.COMM_SELF, path("exclusive"), exclusive)) {
            created = file.getAMode() == exclusive ? 1 : 0;
        } catch (final MPIException e) {
            assertEquals(MPI.ERR_FILE_EXISTS, e.getErrorClass());
        }
        final int[] all = {created};
        MPI.COMM_WORLD.allReduce(all, 1, MPI.INT, MPI.SUM);
        assertEquals(1, all[0]);
        fails(MPI.ERR_FILE_EXISTS, () -> new File(MPI.COMM_WORLD, path("exclusive"), exclusive));
        new File(MPI.COMM_WORLD, path("exclusive"), TEMPORARY).close();
        meet();
        try (File file = new File(MPI.COMM_WORLD, path("exclusive"), TEMPORARY | MPI.MODE_EXCL)) {
            assertEquals(0, file.getSize());
        }
    }

    /** A file that is deleted on close is there until then, and cannot be opened afterwards. */
    private static void deletedOnClose() throws MPIException {
        final File file = new File(MPI.COMM_WORLD, path("deleted"), TEMPORARY);
        file.writeAll(new byte[3], 3, MPI.BYTE);
        assertTrue(Files.exists(Path.of(path("deleted"))));
        file.close();
        assertFalse(Files.exists(Path.of(path("deleted"))));
        fails(MPI.ERR_NO_SUCH_FILE, () -> new File(MPI.COMM_WORLD, path("deleted"), MPI.MODE_RDONLY));
        fails(MPI.ERR_NO_SUCH_FILE, () -> File.delete(path("deleted")));
    }

    /** A size cuts or extends the file, space makes it no shorter; pointers stay, and what was not written is read as zeros. */
    private static void sizesAndSpace() throws MPIException {
        try (File file = ints(MPI.COMM_WORLD, "sizes", TEMPORARY)) {
            file.writeAtAll((long) rank * 10, numbers(1 + rank * 10, 10), 10, MPI.INT);
            file.seek(7, MPI.SEEK_SET);
            file.preallocate(8);
            assertEquals(40L * size, file.getSize());
            meet();
            file.preallocate(40L * size + 400);
            assertEquals(40L * size + 400, file.getSize());
            meet();
            file.setSize(20);
            assertEquals(20, file.getSize());
            assertEquals(7, file.getPosition());
            meet();
            file.setSize(60);
            final int[] got = new int[20];
            assertEquals(15, file.readAt(0, got, 20, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(new int[] {1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, got);
            meet();
            // a hole before what the last rank writes
            if (rank == size - 1) {
                file.writeAt(5_000, new int[] {9}, 1, MPI.INT);
            }
            settle(file);
            assertEquals(20_004, file.getSize());
            assertEquals(2, file.readAt(4_999, got, 3, MPI.INT).getCount(MPI.INT));
            assertEquals(List.of(0, 9), List.of(got[0], got[1]));
            meet();
            fails(MPI.ERR_ARG, () -> file.setSize(-1));
            if (size > 1) {
                fails(MPI.ERR_NOT_SAME, () -> file.setSize(100 + rank));
            }
        }
    }

    /** In atomic mode, of accesses that overlap, a read sees all of a write or nothing: in one block and in many. */
    private static void atomicOverlaps() throws MPIException {
        final int count = 4_000;
        final Datatype some = Datatype.createVector(count / 4, 4, 8, MPI.INT);
        some.commit();
        try (File file = ints(MPI.COMM_WORLD, "atomic", TEMPORARY)) {
            file.setAtomicity(true);
            for (int round = 0; round < 6; round++) {
                if (round == 3) {
                    file.setView(0, MPI.INT, some, "native");
                }
                final int[] data = new int[count];
                Arrays.fill(data, round * 100 + rank);
                final int[] got = new int[count];
                if ((rank + round) % 2 == 0) {
                    file.writeAt(0, data, count, MPI.INT);
                    file.readAt(0, got, count, MPI.INT);
                } else {
                    file.iWriteAt(0, (Object) data, (long) count, MPI.INT).waitFor();
                    file.iReadAt(0, (Object) got, (long) count, MPI.INT).waitFor();
                }
                for (int i = 1; i < count; i++) {
                    assertEquals(got[0], got[i], "element " + i + " in round " + round);
                }
                assertEquals(round, got[0] / 100);
                meet();
                assertEquals(count, file.writeAtAll(0, data, count, MPI.INT).getCount(MPI.INT));
                file.readAtAll(0, got, count, MPI.INT);
                for (int i = 1; i < count; i++) {
                    assertEquals(got[0], got[i], "element " + i + " in round " + round);
                }
                meet();
            }
            file.setAtomicity(false);
            assertFalse(file.getAtomicity());
            meet();
        }
        some.free();
    }

    /** Pointers move by elements of the view, from its begin, from themselves and from the end, and never before the begin. */
    private static void pointersAndOffsets() throws MPIException {
        final Datatype second = Datatype.createVector(5, 1, 2, MPI.INT);
        second.commit();
        try (File file = new File(MPI.COMM_WORLD, path("pointers"), TEMPORARY)) {
            file.setView(8, MPI.INT, second, "native");
            file.writeAll(numbers(0, 20), 20, MPI.INT);
            assertEquals(20, file.getPosition());
            // 5 elements in 9, so that the last of one filetype is next to the first of the following
            assertEquals(List.of(8L, 16L, 40L, 44L), List.of(file.getByteOffset(0), file.getByteOffset(1), file.getByteOffset(4),
                file.getByteOffset(5)));
            file.seek(-15, MPI.SEEK_CUR);
            final int[] one = new int[1];
            file.read(one, 1, MPI.INT);
            assertEquals(5, one[0]);
            file.seek(0, MPI.SEEK_END);
            assertEquals(20, file.getPosition());
            file.seek(3, MPI.SEEK_END);
            assertEquals(23, file.getPosition());
            fails(MPI.ERR_ARG, () -> file.seek(-24, MPI.SEEK_CUR));
            fails(MPI.ERR_ARG, () -> file.seek(-1, MPI.SEEK_SET));
            assertEquals(23, file.getPosition());
            file.seekShared(4, MPI.SEEK_SET);
            file.seekShared(-2, MPI.SEEK_CUR);
            file.readOrdered(one, 1, MPI.INT);
            assertEquals(2 + rank, one[0]);
            assertEquals(2 + size, file.getPositionShared());
            meet();
            fails(MPI.ERR_ARG, () -> file.seekShared(-9 - size, MPI.SEEK_CUR));
            assertEquals(2 + size, file.getPositionShared());
            assertEquals(List.of(4, 36), List.of(file.getTypeExtent(MPI.INT), file.getTypeExtent(second)));
            final Group group = file.getGroup();
            assertEquals(size, group.getSize());
            group.free();
            meet();
        }
        second.free();
    }

    /** A file in sequential mode: after its header a view begins at the current displacement. */
    private static void tapeWithAHeader() throws MPIException {
        try (File file = ints(MPI.COMM_WORLD, "tape", CREATED)) {
            final int[] header = {size, 3, 5};
            if (rank == 0) {
                file.writeAt(0, header, 3, MPI.INT);
            }
            file.seekShared(3, MPI.SEEK_SET);
            file.writeOrdered(numbers(100 * rank, 10), 10, MPI.INT);
            file.seek(3 + 10L * size, MPI.SEEK_SET);
            settle(file);
        }
        try (File file = ints(MPI.COMM_WORLD, "tape", MPI.MODE_RDONLY | MPI.MODE_SEQUENTIAL | MPI.MODE_DELETE_ON_CLOSE)) {
            final int[] header = new int[3];
            if (rank == 0) {
                file.readShared(header, 3, MPI.INT);
            }
            MPI.COMM_WORLD.bcast(header, 3, MPI.INT, 0);
            assertArrayEquals(new int[] {size, 3, 5}, header);
            file.setView(MPI.DISPLACEMENT_CURRENT, MPI.INT, MPI.INT, "native");
            final int[] got = new int[6];
            assertEquals(6, file.readOrdered(got, 6, MPI.INT).getCount(MPI.INT));
            for (int i = 0; i < 6; i++) {
                final int at = 6 * rank + i;
                assertEquals(100 * (at / 10) + at % 10, got[i]);
            }
            fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.seekShared(0, MPI.SEEK_SET));
            fails(MPI.ERR_UNSUPPORTED_OPERATION, () -> file.readAt(0, got, 1, MPI.INT));
            meet();
        }
    }

    /** Files of several communicators are open at once: order is that of the file's communicator. */
    private static void subcommunicators() throws MPIException {
        final Intracomm half = MPI.COMM_WORLD.split(rank % 2, rank);
        final Intracomm reversed = MPI.COMM_WORLD.split(0, -rank);
        try (File own = ints(MPI.COMM_SELF, "self" + rank, TEMPORARY); File part = ints(half, "half" + rank % 2, TEMPORARY);
             File all = ints(reversed, "reversed", TEMPORARY)) {
            part.writeOrdered(new int[] {rank}, 1, MPI.INT);
            all.writeOrdered(new int[] {rank, -rank}, 2, MPI.INT);
            own.writeOrdered(new int[] {rank + 7}, 1, MPI.INT);
            settle(all);
            part.sync();
            final int[] got = new int[2 * size];
            assertEquals(half.getSize(), part.readAtAll(0, got, size + 1, MPI.INT).getCount(MPI.INT));
            for (int i = 0; i < half.getSize(); i++) {
                assertEquals(2 * i + rank % 2, got[i]);
            }
            assertEquals(2 * size, all.readAt(0, got, 2 * size, MPI.INT).getCount(MPI.INT));
            for (int i = 0; i < size; i++) {
                assertEquals(List.of(size - 1 - i, i + 1 - size), List.of(got[2 * i], got[2 * i + 1]));
            }
            assertEquals(1, own.readAt(0, got, 2, MPI.INT).getCount(MPI.INT));
            assertEquals(rank + 7, got[0]);
            final Group group = part.getGroup();
            assertEquals(half.getSize(), group.getSize());
            group.free();
            meet();
        }
        half.free();
        reversed.free();
    }

    /** Hints may be given by some ranks only, when a file is opened and with a view. */
    private static void hintsOfSomeRanks() throws MPIException {
        final Info hints = new Info();
        if (rank == 0) {
            hints.set("access_style", "write_once");
        }
        final Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        final int count = 10_000;
        try (File file = new File(MPI.COMM_WORLD, path("hints"), TEMPORARY, hints)) {
            file.setView(4L * rank, MPI.INT, every, "native", rank % 2 == 0 ? hints : MPI.INFO_NULL);
            file.writeAll(numbers(rank, count), count, MPI.INT);
            file.setView(4L * rank, MPI.INT, every, "native", rank == size - 1 ? hints : new Info());
            final int[] got = new int[count];
            file.readAll(got, count, MPI.INT);
            assertArrayEquals(numbers(rank, count), got);
            file.setInfo(hints);
            assertEquals(count, file.readAtAll(0, got, count, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(numbers(rank, count), got);
        }
        every.free();
        hints.free();
    }

    private static Info info(final String... pairs) throws MPIException {
        final Info info = new Info();
        for (int i = 0; i < pairs.length; i += 2) {
            info.set(pairs[i], pairs[i + 1]);
        }
        return info;
    }

    private static void checkHints(final File file, final String nodes, final String bytes, final boolean collects) throws MPIException {
        final Info used = file.getInfo();
        assertEquals(Arrays.asList(nodes, bytes, Boolean.toString(collects)),
            Arrays.asList(used.get("cb_nodes"), used.get("cb_buffer_size"), used.get("collective_buffering")));
        used.free();
    }

    /** Hints of collective calls are those of rank 0 on all ranks; where it gives none, or none that can be used, they are the default ones. */
    private static void hintsOfCollectiveCalls() throws MPIException {
        final String bytes = Integer.toString(4 << 20);
        final String nodes;
        try (File file = new File(MPI.COMM_WORLD, path("default"), TEMPORARY)) {
            nodes = file.getInfo().get("cb_nodes");
            checkHints(file, nodes, bytes, true);
        }
        final Info different = info("cb_nodes", Integer.toString(size + 1 - rank), "cb_buffer_size", Integer.toString(5_000 * (rank + 1)),
            "collective_buffering", Boolean.toString(rank == 0), "romio_ds_read", rank % 2 == 0 ? "disable" : "automatic");
        final Info useless = info("cb_nodes", rank == 0 ? "many" : "1", "cb_buffer_size", rank == 0 ? "-1" : "4096", "collective_buffering",
            rank == 0 ? "perhaps" : "false");
        final Datatype every = Datatype.createResized(MPI.INT, 0, 4 * size);
        every.commit();
        try (File file = new File(MPI.COMM_WORLD, path("given"), TEMPORARY, different)) {
            checkHints(file, Integer.toString(size), "8192", true);
            assertEquals(rank % 2 == 0 ? "disable" : "automatic", file.getInfo().get("romio_ds_read"));
            writeAndRead(file, every, 1000);
            file.setInfo(rank == 0 ? MPI.INFO_NULL : info("cb_nodes", "1", "cb_buffer_size", "4096", "collective_buffering", "false"));
            checkHints(file, Integer.toString(size), "8192", true);
            writeAndRead(file, every, 2000);
            file.setView(4L * rank, MPI.INT, every, "native", rank == 0 ? info("cb_nodes", "1", "cb_buffer_size", "4096") : MPI.INFO_NULL);
            checkHints(file, "1", "4096", true);
            writeAndRead(file, every, 3000);
            file.setInfo(rank == 0 ? info("collective_buffering", "false") : info("collective_buffering", "true"));
            checkHints(file, "1", "4096", false);
            writeAndRead(file, every, 4000);
            file.setInfo(useless);
            checkHints(file, nodes, bytes, true);
            writeAndRead(file, every, 5000);
        }
        try (File file = new File(MPI.COMM_WORLD, path("others"), TEMPORARY, rank == 0 ? MPI.INFO_NULL : different)) {
            checkHints(file, nodes, bytes, true);
            writeAndRead(file, every, 6000);
        }
        every.free();
        different.free();
        useless.free();
    }

    /** Writes and reads the numbers from a seed on, each rank every n-th element. */
    private static void writeAndRead(final File file, final Datatype every, final int seed) throws MPIException {
        final int count = 10_000;
        file.setView(4L * rank, MPI.INT, every, "native");
        assertEquals(count, file.writeAll(numbers(seed + rank, count), count, MPI.INT).getCount(MPI.INT));
        final int[] got = new int[count];
        assertEquals(count, file.readAtAll(0, got, count, MPI.INT).getCount(MPI.INT));
        assertArrayEquals(numbers(seed + rank, count), got);
    }

    /** Each file has its own error handler; a call that failed leaves the file usable. */
    private static void handlersOfFiles() throws MPIException {
        final AtomicInteger ofOne = new AtomicInteger();
        final AtomicInteger ofTwo = new AtomicInteger();
        try (File one = ints(MPI.COMM_SELF, "handled" + rank, TEMPORARY); File two = ints(MPI.COMM_SELF, "too" + rank, TEMPORARY)) {
            one.setErrhandler(new Errhandler((comm, error) -> ofOne.incrementAndGet()));
            two.setErrhandler(new Errhandler((comm, error) -> ofTwo.incrementAndGet()));
            for (int i = 0; i < 3; i++) {
                fails(MPI.ERR_ARG, () -> one.readAt(-1, new int[1], 1, MPI.INT));
            }
            fails(MPI.ERR_ARG, () -> two.seek(-1, MPI.SEEK_SET));
            two.callErrhandler(MPI.ERR_IO);
            assertEquals(List.of(3, 2), List.of(ofOne.get(), ofTwo.get()));
            assertEquals(1, one.writeAt(0, new int[] {1}, 1, MPI.INT).getCount(MPI.INT));
            two.setErrhandler(MPI.ERRORS_RETURN);
            fails(MPI.ERR_ARG, () -> two.seek(-1, MPI.SEEK_SET));
            assertEquals(2, ofTwo.get());
        }
    }

    /** Bad arguments of a rank are errors of all in collective calls, and have the class that the standard says. */
    private static void wrongArguments() throws MPIException {
        try (File file = ints(MPI.COMM_WORLD, "wrong", TEMPORARY)) {
            final int[] data = new int[2];
            fails(MPI.ERR_ARG, () -> file.setView(rank == size - 1 ? -1 : 0, MPI.INT, MPI.INT, "native"));
            fails(MPI.ERR_TYPE, () -> file.setView(0, MPI.INT, rank == 0 ? MPI.BYTE : MPI.INT, "native"));
            fails(MPI.ERR_UNSUPPORTED_DATAREP, () -> file.setView(0, MPI.INT, MPI.INT, rank == size - 1 ? "other" : "native"));
            if (size > 1) {
                fails(MPI.ERR_NOT_SAME, () -> file.setView(0, rank == 0 ? MPI.INT : MPI.LONG, rank == 0 ? MPI.INT : MPI.LONG, "native"));
                fails(MPI.ERR_NOT_SAME, () -> file.seekShared(rank, MPI.SEEK_SET));
                fails(MPI.ERR_NOT_SAME, () -> file.setAtomicity(rank == 0));
            }
            fails(MPI.ERR_COUNT, () -> file.writeAll(data, rank == 0 ? -1 : 1, MPI.INT));
            fails(MPI.ERR_BUFFER, () -> file.readAtAll(0, data, rank == size - 1 ? 3 : 1, MPI.INT));
            assertEquals(2, file.writeAtAll(2L * rank, new int[] {rank, rank}, 2, MPI.INT).getCount(MPI.INT));
            assertEquals(2, file.readAtAll(2L * rank, data, 2, MPI.INT).getCount(MPI.INT));
            assertArrayEquals(new int[] {rank, rank}, data);
        }
    }
}
