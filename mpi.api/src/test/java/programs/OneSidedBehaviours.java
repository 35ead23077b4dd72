package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.DoubleInt;
import mpi.Int2;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Win;

/** Windows: what programs do with accesses: layouts on both sides, atomic operations, structures of data, and memory of all flavors. */
public final class OneSidedBehaviours {
    private static final int SIDE = 7;

    private static int rank;
    private static int size;
    private static int next;
    private static int previous;

    private OneSidedBehaviours() {}

    /** A step of a test. */
    private interface Step {
        void run() throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = MPI.COMM_WORLD.getRank();
        size = MPI.COMM_WORLD.getSize();
        next = (rank + 1) % size;
        previous = (rank + size - 1) % size;
        transposes();
        patchesThatOverlap();
        nestedStructures();
        accessToItself();
        unitsOfEachRank();
        counterOfEachType();
        countersInAnExclusiveEpoch();
        queueOfWaitingRanks();
        linkedLists();
        extremesAndTheirRanks();
        pairsAreNotTorn();
        orderOfAccumulates();
        largeAndSmallAccumulates();
        swapsOfTwoRanks();
        flushMakesAccessesSeen();
        windowsOfOneMemory();
        storesAndLoadsInSharedMemory();
        windowsWithoutBytes();
        attachWhileOthersAccess();
        addressesWithinAnArray();
        windowsOfManyCommunicators();
    }

    private static IntBuffer ints(final int... values) {
        return MPI.newIntBuffer(values.length).put(0, values);
    }

    private static int[] array(final IntBuffer buffer) {
        final int[] values = new int[buffer.capacity()];
        buffer.get(0, values);
        return values;
    }

    private static void clear(final IntBuffer buffer) {
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.put(i, 0);
        }
    }

    private static Win of(final IntBuffer memory) throws MPIException {
        final Win win = new Win(memory, memory.capacity(), 1, MPI.INFO_NULL, MPI.COMM_WORLD);
        win.setErrhandler(MPI.ERRORS_RETURN);
        return win;
    }

    private static void meet() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    private static void fenced(final Win win, final Step step) throws MPIException {
        win.fence(0);
        step.run();
        win.fence(0);
    }

    private static void locked(final Win win, final int type, final int target, final Step step) throws MPIException {
        win.lock(type, target, 0);
        step.run();
        win.unlock(target);
    }

    /** Returns the sum of an int of all ranks. */
    private static int sum(final int value) throws MPIException {
        final int[] all = {value};
        MPI.COMM_WORLD.allReduce(all, 1, MPI.INT, MPI.SUM);
        return all[0];
    }

    /** A matrix is transposed by columns on either side, of vectors, resized columns, or a struct of columns. */
    private static void transposes() throws MPIException {
        final int all = SIDE * SIDE;
        final IntBuffer matrix = ints(IntStream.range(0, all).map(i -> 1_000 * rank + i).toArray());
        final int[] wanted = IntStream.range(0, all).map(i -> 1_000 * previous + i % SIDE * SIDE + i / SIDE).toArray();
        final int[] wantedOfNext = IntStream.range(0, all).map(i -> 1_000 * next + i % SIDE * SIDE + i / SIDE).toArray();
        final Datatype column = Datatype.createVector(SIDE, 1, SIDE, MPI.INT);
        column.commit();
        final Datatype each = Datatype.createResized(column, 0, Integer.BYTES);
        final Datatype columns = Datatype.createContiguous(SIDE, each);
        columns.commit();
        final int[] ones = new int[SIDE];
        Arrays.fill(ones, 1);
        final Datatype[] types = new Datatype[SIDE];
        Arrays.fill(types, column);
        final Datatype struct = Datatype.createStruct(ones, IntStream.range(0, SIDE).map(i -> Integer.BYTES * i).toArray(), types);
        struct.commit();
        final IntBuffer memory = MPI.newIntBuffer(all);
        try (Win win = of(memory)) {
            final List<Step> steps = List.of(() -> {
                for (int i = 0; i < SIDE; i++) {
                    win.put(MPI.slice(matrix, i * SIDE), SIDE, MPI.INT, next, i, 1, column);
                }
            }, () -> win.put(matrix, all, MPI.INT, next, 0, 1, columns), () -> win.put(matrix, 1, columns, next, 0, all, MPI.INT),
                () -> win.put(matrix, 1, struct, next, 0, all, MPI.INT), () -> win.put(matrix, all, MPI.INT, next, 0, 1, struct), () -> {
                    for (int i = 0; i < SIDE; i++) {
                        win.accumulate(MPI.slice(matrix, i * SIDE), SIDE, MPI.INT, next, i, 1, column, MPI.SUM);
                    }
                });
            for (final Step step : steps) {
                clear(memory);
                fenced(win, step);
                assertArrayEquals(wanted, array(memory));
                clear(memory);
                meet();
                locked(win, MPI.LOCK_EXCLUSIVE, next, step);
                meet();
                assertArrayEquals(wanted, array(memory));
            }
            memory.put(0, matrix, 0, all);
            final IntBuffer got = MPI.newIntBuffer(all);
            fenced(win, () -> win.get(got, all, MPI.INT, next, 0, 1, columns));
            assertArrayEquals(wantedOfNext, array(got));
            clear(got);
            locked(win, MPI.LOCK_SHARED, next, () -> win.get(got, 1, struct, next, 0, all, MPI.INT));
            assertArrayEquals(wantedOfNext, array(got));
        }
        for (final Datatype type : List.of(column, each, columns, struct)) {
            type.free();
        }
    }

    /** Ranks accumulate to patches of a matrix that overlap: each element has the sum of all, and is read by indexed types. */
    private static void patchesThatOverlap() throws MPIException {
        final int width = size + 4;
        final int rows = 5;
        final int[] lengths = {4, 4, 4};
        final int[] starts = {rank, width + rank, 3 * width + rank};
        final Datatype patch = Datatype.createIndexed(lengths, starts, MPI.DOUBLE);
        patch.commit();
        final DoubleBuffer own = MPI.newDoubleBuffer(rows * width);
        for (int i = 0; i < own.capacity(); i++) {
            own.put(i, rank + 1);
        }
        final DoubleBuffer memory = MPI.newDoubleBuffer(rows * width);
        try (Win win = new Win(memory, memory.capacity(), 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            for (int i = 0; i < 4; i++) {
                for (int t = 0; t < size; t++) {
                    final int target = (rank + t) % size;
                    locked(win, i % 2 == 0 ? MPI.LOCK_SHARED : MPI.LOCK_EXCLUSIVE, target,
                        () -> win.accumulate(own, 1, patch, target, 0, 1, patch, MPI.SUM));
                }
            }
            meet();
            final double[] wanted = new double[rows * width];
            for (int r = 0; r < size; r++) {
                for (final int row : new int[] {0, 1, 3}) {
                    for (int x = r; x < r + 4; x++) {
                        wanted[row * width + x] += 4 * (r + 1);
                    }
                }
            }
            final double[] found = new double[rows * width];
            memory.get(0, found);
            assertArrayEquals(wanted, found);
            meet();
            final DoubleBuffer got = MPI.newDoubleBuffer(rows * width);
            final DoubleBuffer before = MPI.newDoubleBuffer(rows * width);
            win.lock(MPI.LOCK_SHARED, next, 0);
            win.get(got, 1, patch, next, 0, 1, patch);
            win.getAccumulate(null, 0, MPI.DOUBLE, before, 1, patch, next, 0, 1, patch, MPI.NO_OP);
            win.unlock(next);
            for (int i = 0; i < wanted.length; i++) {
                final int x = i % width - rank;
                final int row = i / width;
                final double there = x >= 0 && x < 4 && (row < 2 || row == 3) ? wanted[i] : 0;
                assertEquals(List.of(there, there), List.of(got.get(i), before.get(i)), "element " + i);
            }
        }
        patch.free();
    }

    /** A struct that has a struct, with gaps between, is read and written; what is in the gaps stays. */
    private static void nestedStructures() throws MPIException {
        final Datatype inner = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 12}, new Datatype[] {MPI.DOUBLE, MPI.BYTE});
        final Datatype innerOf16 = Datatype.createResized(inner, 0, 16);
        final Datatype outer = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {MPI.INT, innerOf16});
        final Datatype each = Datatype.createResized(outer, 0, 48);
        each.commit();
        final ByteBuffer memory = MPI.newByteBuffer(96);
        final ByteBuffer data = MPI.newByteBuffer(96);
        for (int i = 0; i < 96; i++) {
            memory.put(i, (byte) -1);
            data.put(i, (byte) (rank * 7 + i));
        }
        try (Win win = new Win(memory, 96, 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            fenced(win, () -> win.put(data, 2, each, next, 0, 2, each));
            final ByteBuffer got = MPI.newByteBuffer(96);
            fenced(win, () -> win.get(got, 2, each, next, 0, 2, each));
            for (int i = 0; i < 96; i++) {
                final int at = i % 48;
                final boolean isData = at < 4 || at >= 8 && at < 40 && ((at - 8) % 16 < 8 || (at - 8) % 16 == 12 || (at - 8) % 16 == 13);
                assertEquals(isData ? (byte) (previous * 7 + i) : -1, memory.get(i), "byte " + i);
                assertEquals(isData ? (byte) (rank * 7 + i) : 0, got.get(i), "byte " + i);
            }
        }
        each.free();
    }

    /** A rank of MPI.COMM_SELF accesses its own memory, contiguous or not on both sides. */
    private static void accessToItself() throws MPIException {
        final Datatype second = Datatype.createVector(4, 1, 2, MPI.INT);
        second.commit();
        final Datatype afterOne = Datatype.createIndexed(new int[] {1}, new int[] {1}, MPI.INT);
        afterOne.commit();
        final IntBuffer memory = MPI.newIntBuffer(8);
        final IntBuffer data = ints(1, 2, 3, 4, 5, 6, 7, 8);
        try (Win win = new Win(memory, 8, 1, MPI.INFO_NULL, MPI.COMM_SELF)) {
            locked(win, MPI.LOCK_EXCLUSIVE, 0, () -> win.put(data, 4, MPI.INT, 0, 4, 4, MPI.INT));
            assertArrayEquals(new int[] {0, 0, 0, 0, 1, 2, 3, 4}, array(memory));
            locked(win, MPI.LOCK_EXCLUSIVE, 0, () -> win.put(data, 1, second, 0, 0, 4, MPI.INT));
            assertArrayEquals(new int[] {1, 3, 5, 7, 1, 2, 3, 4}, array(memory));
            locked(win, MPI.LOCK_EXCLUSIVE, 0, () -> win.put(data, 4, MPI.INT, 0, 0, 1, second));
            assertArrayEquals(new int[] {1, 3, 2, 7, 3, 2, 4, 4}, array(memory));
            win.fence(0);
            win.put(data, 1, second, 0, 1, 1, second);
            win.fence(MPI.MODE_NOSUCCEED);
            assertArrayEquals(new int[] {1, 1, 2, 3, 3, 5, 4, 7}, array(memory));
            final IntBuffer got = MPI.newIntBuffer(1);
            locked(win, MPI.LOCK_SHARED, 0, () -> win.get(got, 1, MPI.INT, 0, 2, 1, afterOne));
            assertEquals(3, got.get(0));
        }
        second.free();
        afterOne.free();
    }

    /** Displacements are in the units of the target, which differ from rank to rank. */
    private static void unitsOfEachRank() throws MPIException {
        final ByteBuffer memory = MPI.newByteBuffer(8 * (size + 1));
        try (Win win = new Win(memory, memory.capacity(), rank + 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.fence(0);
            for (int t = 0; t < size; t++) {
                assertEquals(t + 1, win.getDispUnit(t));
                win.put(MPI.newByteBuffer(1).put(0, (byte) (rank + 1)), 1, MPI.BYTE, t, rank + 1, 1, MPI.BYTE);
            }
            win.fence(0);
            for (int i = 0; i < memory.capacity(); i++) {
                final int from = i / (rank + 1) - 1;
                assertEquals(i % (rank + 1) == 0 && from >= 0 && from < size ? from + 1 : 0, memory.get(i), "byte " + i);
            }
        }
    }

    /** All ranks count on one element of each numeric datatype: each number is given once. */
    private static void counterOfEachType() throws MPIException {
        final int each = 10;
        for (final Datatype type : List.of(MPI.BYTE, MPI.SHORT, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE)) {
            final ByteBuffer memory = MPI.newByteBuffer(8);
            try (Win win = new Win(memory, 8, 8, MPI.INFO_NULL, MPI.COMM_WORLD)) {
                final ByteBuffer one = number(type, 1);
                final long[] got = new long[each * size];
                win.lockAll(0);
                for (int i = 0; i < each; i++) {
                    final ByteBuffer before = MPI.newByteBuffer(8);
                    win.fetchAndOp(one, before, type, size - 1, 0, MPI.SUM);
                    win.flush(size - 1);
                    got[rank * each + i] = number(type, before);
                    assertTrue(i == 0 || got[rank * each + i] > got[rank * each + i - 1], "own numbers rise");
                }
                win.unlockAll();
                MPI.COMM_WORLD.allReduce(got, got.length, MPI.LONG, MPI.SUM);
                Arrays.sort(got);
                for (int i = 0; i < got.length; i++) {
                    assertEquals(i, got[i], type.getName());
                }
                assertEquals(rank == size - 1 ? each * size : 0, number(type, memory), type.getName());
            }
        }
    }

    private static ByteBuffer number(final Datatype type, final int value) throws MPIException {
        final ByteBuffer made = MPI.newByteBuffer(8);
        return type == MPI.FLOAT ? made.putFloat(0, value) : type == MPI.DOUBLE ? made.putDouble(0, value) : switch (type.getSize()) {
            case 1 -> made.put(0, (byte) value);
            case 2 -> made.putShort(0, (short) value);
            case 4 -> made.putInt(0, value);
            default -> made.putLong(0, value);
        };
    }

    private static long number(final Datatype type, final ByteBuffer of) throws MPIException {
        return type == MPI.FLOAT ? (long) of.getFloat(0) : type == MPI.DOUBLE ? (long) of.getDouble(0) : switch (type.getSize()) {
            case 1 -> of.get(0);
            case 2 -> of.getShort(0);
            case 4 -> of.getInt(0);
            default -> of.getLong(0);
        };
    }

    /** In one exclusive epoch a rank adds to its own counters and reads those of others: of each rank, and of a tree. */
    private static void countersInAnExclusiveEpoch() throws MPIException {
        final int leaves = Integer.highestOneBit(2 * size - 1);
        final int[] path = new int[Integer.numberOfTrailingZeros(leaves)];
        final int[] siblings = new int[path.length];
        for (int i = 0; i < path.length; i++) {
            path[i] = leaves + rank >> i;
            siblings[i] = path[i] ^ 1;
        }
        count(2 * leaves, path, siblings);
        count(size, new int[] {rank}, IntStream.range(0, size).filter(r -> r != rank).toArray());
    }

    /** Counts by elements that a rank adds to, and others whose sum with its own count is the number before. */
    private static void count(final int elements, final int[] added, final int[] read) throws MPIException {
        final Datatype toAdd = Datatype.createIndexed(ones(added.length), added, MPI.INT);
        final Datatype toRead = Datatype.createIndexed(ones(read.length), read, MPI.INT);
        toAdd.commit();
        toRead.commit();
        final IntBuffer memory = MPI.newIntBuffer(elements);
        final int each = 12;
        final int[] numbers = new int[each * size];
        try (Win win = of(memory)) {
            final IntBuffer got = MPI.newIntBuffer(read.length);
            for (int own = 0; own < each; own++) {
                locked(win, MPI.LOCK_EXCLUSIVE, 0, () -> {
                    win.accumulate(ints(ones(added.length)), added.length, MPI.INT, 0, 0, 1, toAdd, MPI.SUM);
                    win.get(got, read.length, MPI.INT, 0, 0, 1, toRead);
                });
                numbers[rank * each + own] = own + Arrays.stream(array(got)).sum();
            }
        }
        MPI.COMM_WORLD.allReduce(numbers, numbers.length, MPI.INT, MPI.SUM);
        Arrays.sort(numbers);
        assertArrayEquals(IntStream.range(0, each * size).toArray(), numbers);
        toAdd.free();
        toRead.free();
    }

    private static int[] ones(final int count) {
        final int[] ones = new int[count];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** Ranks wait for a mutex in a queue, made of fetch-and-op and compare-and-swap: one at a time has it. */
    private static void queueOfWaitingRanks() throws MPIException {
        final int after = 0;
        final int waits = 1;
        final int tail = 2;
        final int counter = 3;
        final IntBuffer memory = ints(-1, 0, -1, 0);
        try (Win win = of(memory)) {
            meet();
            win.lockAll(0);
            for (int i = 0; i < 10; i++) {
                replace(win, rank, after, -1);
                replace(win, rank, waits, 1);
                final int before = replace(win, 0, tail, rank);
                if (before >= 0) {
                    replace(win, before, after, rank);
                    while (read(win, rank, waits) != 0) {
                        Thread.onSpinWait();
                    }
                }
                final IntBuffer value = MPI.newIntBuffer(1);
                win.get(value, 1, MPI.INT, size - 1, counter, 1, MPI.INT);
                win.flush(size - 1);
                win.put(value.put(0, value.get(0) + 1), 1, MPI.INT, size - 1, counter, 1, MPI.INT);
                win.flush(size - 1);
                final IntBuffer was = MPI.newIntBuffer(1);
                win.compareAndSwap(ints(-1), ints(rank), was, MPI.INT, 0, tail);
                win.flush(0);
                if (was.get(0) != rank) {
                    int to = read(win, rank, after);
                    while (to < 0) {
                        Thread.onSpinWait();
                        to = read(win, rank, after);
                    }
                    replace(win, to, waits, 0);
                }
            }
            win.unlockAll();
            meet();
            assertEquals(rank == size - 1 ? 10 * size : 0, memory.get(counter));
            assertTrue(rank > 0 || memory.get(tail) == -1);
        }
    }

    private static int replace(final Win win, final int target, final int at, final int value) throws MPIException {
        return fetch(win, target, at, value, MPI.REPLACE);
    }

    private static int read(final Win win, final int target, final int at) throws MPIException {
        return fetch(win, target, at, 0, MPI.NO_OP);
    }

    private static int fetch(final Win win, final int target, final int at, final int value, final Op op) throws MPIException {
        final IntBuffer before = MPI.newIntBuffer(1);
        win.fetchAndOp(ints(value), before, MPI.INT, target, at, op);
        win.flush(target);
        return before.get(0);
    }

    /** Ranks append elements, which they attach while others work, to one linked list: by compare-and-swap at its end, or by a swap of its tail. */
    private static void linkedLists() throws MPIException {
        for (final boolean bySwap : new boolean[] {false, true}) {
            final int each = 8;
            final List<LongBuffer> own = new ArrayList<>();
            try (Win win = new Win(MPI.INFO_NULL, MPI.COMM_WORLD)) {
                // value, pointer to the next element, tail
                final LongBuffer head = MPI.newLongBuffer(3).put(0, -1).put(1, -1);
                win.attach(head, 3);
                own.add(head);
                final long[] first = {pointer(0, Win.address(head))};
                head.put(2, first[0]);
                MPI.COMM_WORLD.bcast(first, 1, MPI.LONG, 0);
                win.lockAll(0);
                long end = first[0];
                for (int i = 0; i < each; i++) {
                    final LongBuffer made = MPI.newLongBuffer(2).put(0, 100 * rank + i).put(1, -1);
                    win.attach(made, 2);
                    own.add(made);
                    final long added = pointer(rank, Win.address(made));
                    if (bySwap) {
                        final long before = swap(win, first[0], 2, added);
                        assertEquals(-1, swap(win, before, 1, added));
                    } else {
                        for (long there = append(win, end, added); there != -1; there = append(win, end, added)) {
                            end = there;
                        }
                        end = added;
                    }
                }
                win.flushAll();
                win.unlockAll();
                meet();
                final int[] found = new int[size];
                int count = 0;
                win.lockAll(0);
                for (long at = first[0]; at != -1; count++) {
                    final long[] element = new long[2];
                    win.get((Object) element, 2L, MPI.LONG, rankOf(at), addressOf(at), 2L, MPI.LONG);
                    win.flushLocal(rankOf(at));
                    if (element[0] >= 0) {
                        assertEquals(found[(int) element[0] / 100]++, element[0] % 100, "elements of a rank are in order");
                    }
                    at = element[1];
                }
                win.unlockAll();
                assertEquals(each * size + 1, count);
                meet();
                for (final LongBuffer element : own) {
                    win.detach(element);
                }
            }
        }
    }

    private static long pointer(final int of, final long address) {
        return (long) of << 48 | address;
    }

    private static int rankOf(final long pointer) {
        return (int) (pointer >>> 48);
    }

    private static long addressOf(final long pointer) {
        return pointer & (1L << 48) - 1;
    }

    private static long append(final Win win, final long end, final long added) throws MPIException {
        final long[] before = new long[1];
        win.compareAndSwap(new long[] {added}, new long[] {-1}, before, MPI.LONG, rankOf(end), addressOf(end) + 8);
        win.flush(rankOf(end));
        return before[0];
    }

    private static long swap(final Win win, final long at, final int index, final long value) throws MPIException {
        final long[] before = new long[1];
        win.fetchAndOp(new long[] {value}, before, MPI.LONG, rankOf(at), addressOf(at) + 8L * index, MPI.REPLACE);
        win.flush(rankOf(at));
        return before[0];
    }

    /** MAXLOC and MINLOC of all ranks find the extreme value and its rank; of equal values, the lowest rank. */
    private static void extremesAndTheirRanks() throws MPIException {
        final ByteBuffer memory = MPI.newByteBuffer(4 * 8);
        for (int i = 0; i < 4; i++) {
            final Int2.Data pair = MPI.int2.getData(memory, i);
            pair.putValue(i % 2 == 0 ? -1 : 100);
            pair.putIndex(-1);
        }
        final ByteBuffer data = MPI.newByteBuffer(2 * 8);
        final Int2.Data falls = MPI.int2.getData(data);
        falls.putValue(size - rank);
        falls.putIndex(rank);
        final Int2.Data same = MPI.int2.getData(data, 1);
        same.putValue(50);
        same.putIndex(rank);
        try (Win win = new Win(memory, memory.capacity(), 8, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            fenced(win, () -> {
                win.accumulate(data, 1, MPI.INT2, 0, 0, 1, MPI.INT2, MPI.MAXLOC);
                win.accumulate(data, 1, MPI.INT2, 0, 1, 1, MPI.INT2, MPI.MINLOC);
                win.accumulate(MPI.slice(data, 8), 1, MPI.INT2, 0, 2, 1, MPI.INT2, MPI.MAXLOC);
                win.accumulate(MPI.slice(data, 8), 1, MPI.INT2, 0, 3, 1, MPI.INT2, MPI.MINLOC);
            });
            final int[][] wanted = {{size, 0}, {1, size - 1}, {50, 0}, {50, 0}};
            for (int i = 0; i < 4; i++) {
                final Int2.Data pair = MPI.int2.getData(memory, i);
                assertArrayEquals(rank == 0 ? wanted[i] : new int[] {i % 2 == 0 ? -1 : 100, -1}, new int[] {pair.getValue(), pair.getIndex()});
            }
        }
    }

    /** An atomic read of a pair has both parts of one atomic write, while other ranks write. */
    private static void pairsAreNotTorn() throws MPIException {
        final int bytes = MPI.DOUBLE_INT.getExtent();
        final ByteBuffer memory = MPI.newByteBuffer(bytes);
        try (Win win = new Win(memory, bytes, bytes, MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.lockAll(0);
            for (int i = 0; i < 200; i++) {
                final ByteBuffer pair = MPI.newByteBuffer(bytes);
                final DoubleInt.Data data = MPI.doubleInt.getData(pair);
                if ((rank + i) % 2 == 0) {
                    data.putValue(1_000 * rank + i);
                    data.putIndex(1_000 * rank + i);
                    win.accumulate(pair, 1, MPI.DOUBLE_INT, 0, 0, 1, MPI.DOUBLE_INT, MPI.REPLACE);
                } else if (i % 4 < 2) {
                    win.fetchAndOp(pair, pair, MPI.DOUBLE_INT, 0, 0, MPI.NO_OP);
                } else {
                    win.getAccumulate(null, 0, MPI.DOUBLE_INT, pair, 1, MPI.DOUBLE_INT, 0, 0, 1, MPI.DOUBLE_INT, MPI.NO_OP);
                }
                win.flush(0);
                assertEquals(data.getValue(), data.getIndex());
            }
            win.unlockAll();
        }
    }

    /** Accumulates of a rank to one place follow each other in the order of the calls, whatever their operations are. */
    private static void orderOfAccumulates() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size);
        try (Win win = of(memory)) {
            fenced(win, () -> {
                for (int i = 0; i < 100; i++) {
                    win.accumulate(ints(i), 1, MPI.INT, next, rank, 1, MPI.INT, MPI.REPLACE);
                }
            });
            assertEquals(99, memory.get(previous));
            meet();
            final IntBuffer before = MPI.newIntBuffer(3);
            locked(win, MPI.LOCK_SHARED, next, () -> {
                win.accumulate(ints(5), 1, MPI.INT, next, rank, 1, MPI.INT, MPI.REPLACE);
                win.accumulate(ints(9), 1, MPI.INT, next, rank, 1, MPI.INT, MPI.MAX);
                win.fetchAndOp(ints(1), before, MPI.INT, next, rank, MPI.SUM);
                win.accumulate(ints(3), 1, MPI.INT, next, rank, 1, MPI.INT, MPI.PROD);
                win.getAccumulate(null, 0, MPI.INT, MPI.slice(before, 1), 1, MPI.INT, next, rank, 1, MPI.INT, MPI.NO_OP);
                win.compareAndSwap(ints(-7), ints(30), MPI.slice(before, 2), MPI.INT, next, rank);
            });
            assertArrayEquals(new int[] {9, 30, 30}, array(before));
            meet();
            assertEquals(-7, memory.get(previous));
        }
    }

    /** A buffer may be used after a local flush: small accumulates after a large one to the same elements, of plain and derived types. */
    private static void largeAndSmallAccumulates() throws MPIException {
        final int count = 50_000;
        final IntBuffer memory = MPI.newIntBuffer(2 * count);
        final Datatype second = Datatype.createVector(count, 1, 2, MPI.INT);
        second.commit();
        final IntBuffer data = MPI.newIntBuffer(count);
        try (Win win = of(memory)) {
            meet();
            win.lockAll(0);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < count; j++) {
                    data.put(j, j);
                }
                win.accumulate(data, count, MPI.INT, next, 0, 1, second, MPI.SUM);
                win.flushLocal(next);
                clear(data);
                for (int j = 0; j < 20; j++) {
                    data.put(0, 1);
                    win.accumulate(data, 1, MPI.INT, next, 2 * (count - 1), 1, MPI.INT, MPI.SUM);
                    win.flushLocalAll();
                    data.put(0, 1_000_000);
                }
            }
            win.unlockAll();
            meet();
            for (int j = 0; j < count; j++) {
                assertEquals(3 * j + (j == count - 1 ? 60 : 0), memory.get(2 * j), "element " + j);
                assertEquals(0, memory.get(2 * j + 1));
            }
        }
        second.free();
    }

    /** Of two ranks that swap 0 for 1 and 1 for 0, one comes first: what both have read fits to what is there. */
    private static void swapsOfTwoRanks() throws MPIException {
        for (int i = 0; i < 50; i++) {
            final IntBuffer memory = ints(0);
            try (Win win = of(memory)) {
                final IntBuffer before = ints(-1);
                meet();
                if (rank < 2) {
                    locked(win, MPI.LOCK_SHARED, size - 1, () -> win.compareAndSwap(ints(1 - rank), ints(rank), before, MPI.INT, size - 1, 0));
                }
                meet();
                final int[] all = new int[3];
                all[Math.min(rank, 1)] = rank < 2 ? before.get(0) : 0;
                all[2] = rank == size - 1 ? memory.get(0) : 0;
                MPI.COMM_WORLD.allReduce(all, 3, MPI.INT, MPI.SUM);
                assertEquals(0, all[0]);
                assertEquals(size == 1 ? 1 : 1 - all[1], all[2]);
            }
        }
    }

    /** What each kind of access has written is read by the origin, and by another rank, after a flush: in windows of each flavor. */
    private static void flushMakesAccessesSeen() throws MPIException {
        try (Win win = of(MPI.newIntBuffer(size))) {
            flushed(win, 0);
        }
        try (Win win = new Win(size, 1, MPI.INFO_NULL, MPI.COMM_WORLD, IntBuffer.allocate(0), Win.FLAVOR_PRIVATE)) {
            flushed(win, 0);
        }
        final IntBuffer attached = MPI.newIntBuffer(size);
        try (Win win = new Win(MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.attach(attached, size);
            final long[] base = {Win.address(attached)};
            MPI.COMM_WORLD.bcast(base, 1, MPI.LONG, 0);
            flushed(win, base[0]);
        }
        assertTrue(rank > 0 || attached.get(0) == 7);
    }

    /** Accesses an element of its own at rank 0, which begins at 0 or at an address, by each kind of access. */
    private static void flushed(final Win win, final long base) throws MPIException {
        final long at = base == 0 ? rank : base + 4L * rank;
        meet();
        win.lockAll(0);
        win.put(new int[] {rank + 1}, 1, MPI.INT, 0, at, 1, MPI.INT);
        assertEquals(rank + 1, got(win, at));
        win.accumulate(new int[] {10}, 1, MPI.INT, 0, at, 1, MPI.INT, MPI.SUM);
        assertEquals(rank + 11, got(win, at));
        final int[] before = new int[3];
        win.getAccumulate(new int[] {100}, 1, MPI.INT, before, 1, MPI.INT, 0, at, 1, MPI.INT, MPI.SUM);
        assertEquals(rank + 111, got(win, at));
        assertEquals(rank + 11, before[0]);
        win.fetchAndOp(new int[] {1_000}, before, MPI.INT, 0, at, MPI.SUM);
        assertEquals(rank + 1_111, got(win, at));
        assertEquals(rank + 111, before[0]);
        win.compareAndSwap(new int[] {7}, new int[] {rank + 1_111}, before, MPI.INT, 0, at);
        assertEquals(7, got(win, at));
        assertEquals(rank + 1_111, before[0]);
        meet();
        assertEquals(7, got(win, at + (long) (next - rank) * (base == 0 ? 1 : 4)));
        win.unlockAll();
        meet();
    }

    private static int got(final Win win, final long at) throws MPIException {
        win.flush(0);
        final int[] value = {-1};
        win.get(value, 1, MPI.INT, 0, at, 1, MPI.INT);
        win.flush(0);
        return value[0];
    }

    /** Windows of the same memory, or of a part of it, access the same elements. */
    private static void windowsOfOneMemory() throws MPIException {
        final IntBuffer memory = MPI.newIntBuffer(size);
        final List<Win> wins = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            wins.add(of(memory));
        }
        for (int i = 0; i < size; i++) {
            flushed(wins.get((rank + i) % size), 0);
        }
        for (final Win win : wins.reversed()) {
            win.free();
        }
        final IntBuffer all = MPI.newIntBuffer(6);
        try (Win whole = of(all); Win part = of(MPI.slice(all, 2)); Win rest = of(MPI.slice(all, 4))) {
            whole.fence(0);
            part.fence(0);
            whole.put(ints(1, 2, 3), 3, MPI.INT, next, 1, 3, MPI.INT);
            part.put(ints(10, 11), 2, MPI.INT, next, 2, 2, MPI.INT);
            whole.fence(MPI.MODE_NOSUCCEED);
            part.fence(MPI.MODE_NOSUCCEED);
            assertArrayEquals(new int[] {0, 1, 2, 3, 10, 11}, array(all));
            final IntBuffer got = MPI.newIntBuffer(3);
            rest.lock(MPI.LOCK_SHARED, next, 0);
            part.lock(MPI.LOCK_SHARED, next, 0);
            rest.get(got, 1, MPI.INT, next, 1, 1, MPI.INT);
            part.get(MPI.slice(got, 1), 2, MPI.INT, next, 1, 2, MPI.INT);
            part.unlock(next);
            rest.unlock(next);
            assertArrayEquals(new int[] {11, 3, 10}, array(got));
        }
    }

    /** Ranks of a node see in shared memory what accesses of others have written after a flush, and accesses see what they store. */
    private static void storesAndLoadsInSharedMemory() throws MPIException {
        final Intracomm near = MPI.COMM_WORLD.splitType(mpi.Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
        final int own = near.getRank();
        final int ranks = near.getSize();
        final int right = (own + 1) % ranks;
        final int left = (own + ranks - 1) % ranks;
        try (Win win = new Win(4, 1, MPI.INFO_NULL, near, IntBuffer.allocate(0), Win.FLAVOR_SHARED)) {
            final IntBuffer memory = win.getBuffer().asIntBuffer();
            assertEquals(16, win.sharedQuery(right).byteSize());
            for (int r = 1; r < ranks; r++) {
                assertEquals(win.sharedQuery(r - 1).address() + 16, win.sharedQuery(r).address(), "parts follow each other");
            }
            near.barrier();
            win.lockAll(0);
            win.put(ints(own + 1), 1, MPI.INT, right, 0, 1, MPI.INT);
            win.accumulate(ints(own + 2), 1, MPI.INT, right, 1, 1, MPI.INT, MPI.SUM);
            final IntBuffer before = MPI.newIntBuffer(2);
            win.fetchAndOp(ints(own + 3), before, MPI.INT, right, 2, MPI.SUM);
            win.compareAndSwap(ints(own + 4), ints(0), MPI.slice(before, 1), MPI.INT, right, 3);
            win.flush(right);
            assertArrayEquals(new int[] {0, 0}, array(before));
            win.sync();
            near.barrier();
            win.sync();
            assertArrayEquals(new int[] {left + 1, left + 2, left + 3, left + 4},
                new int[] {memory.get(0), memory.get(1), memory.get(2), memory.get(3)});
            near.barrier();
            memory.put(0, 70 + own);
            win.sync();
            near.barrier();
            win.sync();
            final IntBuffer got = MPI.newIntBuffer(1);
            win.get(got, 1, MPI.INT, right, 0, 1, MPI.INT);
            win.flushLocal(right);
            assertEquals(70 + right, got.get(0));
            win.unlockAll();
            near.barrier();
        }
        try (Win win = new Win(0, 1, MPI.INFO_NULL, near, null, Win.FLAVOR_SHARED)) {
            assertEquals(0, win.sharedQuery(right).byteSize());
            win.fence(0);
        }
        near.free();
    }

    /** Some ranks, or all, have windows of zero bytes; accesses of zero elements reach them, others are out of range. */
    private static void windowsWithoutBytes() throws MPIException {
        for (final boolean isEach : new boolean[] {false, true}) {
            final int bytes = isEach || rank % 2 == 0 ? 0 : 4;
            final int bytesOfNext = isEach || next % 2 == 0 ? 0 : 4;
            try (Win win = new Win(bytes, 1, MPI.INFO_NULL, MPI.COMM_WORLD, null, Win.FLAVOR_PRIVATE)) {
                zeroOrMore(win, bytesOfNext);
                assertEquals(bytes, win.getMemory().byteSize());
            }
            try (Win win = new Win(MPI.newByteBuffer(bytes), bytes, 1, MPI.INFO_NULL, MPI.COMM_WORLD)) {
                zeroOrMore(win, bytesOfNext);
            }
        }
    }

    private static void zeroOrMore(final Win win, final int bytesOfNext) throws MPIException {
        win.setErrhandler(MPI.ERRORS_RETURN);
        final IntBuffer data = ints(rank);
        fenced(win, () -> {
            win.put(data, 0, MPI.INT, next, bytesOfNext, 0, MPI.INT);
            win.get(data, 0, MPI.INT, next, 0, 0, MPI.INT);
            win.accumulate(data, 0, MPI.INT, next, 0, 0, MPI.INT, MPI.SUM);
            if (bytesOfNext == 0) {
                assertEquals(MPI.ERR_RMA_RANGE, OneSidedEpochs.errorClass(() -> win.put(data, 1, MPI.INT, next, 0, 1, MPI.INT)));
            } else {
                win.put(data, 1, MPI.INT, next, 0, 1, MPI.INT);
            }
        });
        assertEquals(rank, data.get(0));
    }

    /** A rank attaches and detaches memory, also memory next to it, while others access what stays attached. */
    private static void attachWhileOthersAccess() throws MPIException {
        final IntBuffer all = MPI.newIntBuffer(30);
        final IntBuffer counted = MPI.slice(all, 0).slice(0, 10);
        try (Win win = new Win(MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.setErrhandler(MPI.ERRORS_RETURN);
            win.attach(counted, 10);
            final long[] base = new long[size];
            MPI.COMM_WORLD.allGather(new long[] {Win.address(counted)}, 1, MPI.LONG, base, 1, MPI.LONG);
            win.lockAll(0);
            for (int i = 0; i < 40; i++) {
                final IntBuffer more = MPI.slice(all, 10 + i % 5);
                win.attach(more, 3 + i % 7);
                win.accumulate(new int[] {1}, 1, MPI.INT, next, base[next] + 4L * (i % 10), 1, MPI.INT, MPI.SUM);
                win.put(new int[] {i}, 1, MPI.INT, rank, Win.address(more), 1, MPI.INT);
                win.flushAll();
                assertEquals(i, more.get(0));
                win.detach(more);
            }
            // the elements 9 and 10 are in two parts
            assertEquals(MPI.ERR_RMA_RANGE, OneSidedEpochs.errorClass(() -> {
                win.put(new int[2], 2, MPI.INT, next, base[next] + 36, 2, MPI.INT);
                win.flush(next);
            }));
            win.unlockAll();
            meet();
            for (int i = 0; i < 10; i++) {
                assertEquals(4, all.get(i));
            }
        }
    }

    /** Displacements are reckoned from an address in the middle of attached memory, to both sides. */
    private static void addressesWithinAnArray() throws MPIException {
        final LongBuffer memory = MPI.newLongBuffer(21);
        for (int i = 0; i < 21; i++) {
            memory.put(i, 100L * rank + i);
        }
        try (Win win = new Win(MPI.INFO_NULL, MPI.COMM_WORLD)) {
            win.attach(memory, 21);
            final long[] middles = new long[size];
            MPI.COMM_WORLD.allGather(new long[] {Win.address(memory) + 8 * 10}, 1, MPI.LONG, middles, 1, MPI.LONG);
            final long[] got = new long[3];
            win.fence(0);
            for (int i = 0; i < 3; i++) {
                final long[] one = new long[1];
                win.get(one, 1, MPI.LONG, next, middles[next] + 8L * (i - 1) * 10, 1, MPI.LONG);
                win.fence(0);
                got[i] = one[0];
            }
            win.fence(MPI.MODE_NOSUCCEED);
            assertArrayEquals(new long[] {100L * next, 100L * next + 10, 100L * next + 20}, got);
        }
    }

    /** Windows of several communicators are used in turn, and freed in another order; targets are ranks of the window's communicator. */
    private static void windowsOfManyCommunicators() throws MPIException {
        final Intracomm reversed = MPI.COMM_WORLD.split(0, -rank);
        final Intracomm half = MPI.COMM_WORLD.split(rank % 2, rank);
        final List<Intracomm> comms = List.of(MPI.COMM_WORLD, reversed, half, MPI.COMM_SELF);
        final List<Win> wins = new ArrayList<>();
        final List<IntBuffer> memories = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            final Intracomm comm = comms.get(i % comms.size());
            memories.add(MPI.newIntBuffer(comm.getSize()));
            wins.add(new Win(memories.get(i), comm.getSize(), 1, MPI.INFO_NULL, comm));
        }
        for (int i = 0; i < 12; i++) {
            final Intracomm comm = comms.get(i % comms.size());
            final Win win = wins.get(i);
            win.fence(0);
            for (int t = 0; t < comm.getSize(); t++) {
                win.put(ints(1_000 * i + rank), 1, MPI.INT, t, comm.getRank(), 1, MPI.INT);
            }
            win.fence(0);
            final int[] worldRanks = new int[comm.getSize()];
            comm.allGather(new int[] {rank}, 1, MPI.INT, worldRanks, 1, MPI.INT);
            final int window = i;
            assertArrayEquals(Arrays.stream(worldRanks).map(r -> 1_000 * window + r).toArray(), array(memories.get(i)));
        }
        for (final int i : new int[] {3, 0, 11, 6, 1, 2, 10, 4, 9, 5, 8, 7}) {
            wins.get(i).free();
        }
        reversed.free();
        half.free();
        assertEquals(size, sum(1));
    }
}
