package tutti.runtime.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.Request;

/** Tests windows of ranks on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WindowTest {
    private static final int LINK_BYTES = 96 * 1024;
    /** Bytes that do not fit in one frame. */
    private static final int LONG = 300_001;

    /** Returns the nodes of ranks. */
    static Stream<List<Integer>> nodes() {
        return Stream.of(List.of(0), List.of(0, 0, 0), List.of(0, 1), List.of(0, 1, 0), List.of(0, 1, 2, 1, 0));
    }

    private static void run(final List<Integer> nodeOf, final Ranks.Body body) throws Exception {
        run(nodeOf, 0, body);
        if (nodeOf.stream().anyMatch(n -> n > 0)) {
            run(nodeOf, 1, body);
        }
    }

    /** Runs ranks on nodes, every so many links of which says that both are on one host. */
    private static void run(final List<Integer> nodeOf, final int sharing, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES, MemoryTransport.Reading.NONE, sharing)) {
            Ranks.run(nodeOf, transport, Ranks.job(nodeOf.size(), Map.of(), List.of(new BasicModule())), body);
        }
    }

    private static void assertNothingLeft(final Communicator c) {
        c.engine().blocking().barrier();
        assertEquals(0, c.context().owner().job().windows().size());
    }

    private static byte[] bytes(final int length, final int seed) {
        final byte[] data = new byte[length];
        new SplittableRandom(seed).nextBytes(data);
        return data;
    }

    private static MemorySegment direct(final int bytes) {
        return Arena.ofAuto().allocate(bytes, 8);
    }

    private static byte[] content(final Window window) {
        return window.memory().toArray(ValueLayout.JAVA_BYTE);
    }

    private static int[] ints(final Window window) {
        return window.memory().toArray(ValueLayout.JAVA_INT_UNALIGNED);
    }

    private static int next(final Communicator c) {
        return (c.rank() + 1) % c.size();
    }

    private static int previous(final Communicator c) {
        return (c.rank() + c.size() - 1) % c.size();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldWriteAndReadMemoryOfAnyLengthBetweenFences(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.create(c, () -> direct(LONG + 7), 1);
            for (final int length : new int[] {1, 8, 4_097, LONG}) {
                w.fence(0);
                w.put(bytes(length, 100 + c.rank()), length, Datatype.BYTE, next(c), 7, length, Datatype.BYTE);
                w.fence(0);
                assertArrayEquals(bytes(length, 100 + previous(c)), Arrays.copyOfRange(content(w), 7, 7 + length));
                final byte[] got = new byte[length + 3];
                w.get(got, length, Datatype.BYTE, next(c), 7, length, Datatype.BYTE);
                w.fence(0);
                assertArrayEquals(bytes(length, 100 + c.rank()), Arrays.copyOf(got, length));
            }
            w.free();
            assertNothingLeft(c);
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldTransferElementsWithGapsOnBothSides(final List<Integer> nodeOf) throws Exception {
        final int count = 20_000;
        final Datatype pairs = Datatype.resized(Datatype.contiguous(2, Datatype.INT), 0, 12);
        final Datatype column = Datatype.vector(count, 1, 4, Datatype.INT);
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 16L * count, 4);
            w.memory().fill((byte) -1);
            final int[] data = IntStream.range(0, 3 * count).map(i -> i + 7 * c.rank()).toArray();
            w.fence(Window.NOPRECEDE);
            w.put(data, count / 2, pairs, next(c), 1, 1, column);
            w.fence(0);
            final int[] expected = new int[4 * count];
            Arrays.fill(expected, -1);
            for (int i = 0; i < count; i++) {
                expected[1 + 4 * i] = i / 2 * 3 + i % 2 + 7 * previous(c);
            }
            assertArrayEquals(expected, ints(w));
            final int[] got = new int[3 * count];
            w.get(got, count / 2, pairs, next(c), 1, 1, column);
            w.fence(Window.NOSUCCEED);
            for (int i = 0; i < 3 * count; i++) {
                assertEquals(i % 3 < 2 && i < count / 2 * 3 ? data[i] : 0, got[i]);
            }
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldCombineElementsOfAllRanksAtomically(final List<Integer> nodeOf) throws Exception {
        final int length = 5_001;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 8L * length, 8);
            w.memory().fill((byte) 0);
            final double[] ones = new double[length];
            Arrays.fill(ones, 1);
            w.fence(0);
            for (int i = 0; i < 20; i++) {
                for (int r = 0; r < c.size(); r++) {
                    w.accumulate(ones, length, Datatype.DOUBLE, r, 0, length, Datatype.DOUBLE, Op.SUM);
                }
            }
            w.fence(0);
            for (final double d : w.memory().toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED)) {
                assertEquals(20.0 * c.size(), d);
            }
            w.fence(0);
            w.accumulate(new double[] {c.rank()}, 1, Datatype.DOUBLE, 0, 3, 1, Datatype.DOUBLE, Op.REPLACE);
            w.accumulate(new double[] {c.rank() + 1}, 1, Datatype.DOUBLE, 0, 4, 1, Datatype.DOUBLE, Op.PROD);
            w.fence(0);
            if (c.rank() == 0) {
                final double last = w.memory().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 24);
                assertTrue(last >= 0 && last < c.size() && last == (int) last, () -> "replaced by " + last);
                assertEquals(LongStream.rangeClosed(1, c.size()).asDoubleStream().reduce(20.0 * c.size(), (a, b) -> a * b),
                    w.memory().get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 32));
            }
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldGiveEachRankANumberOfItsOwnByFetchAndOp(final List<Integer> nodeOf) throws Exception {
        final int each = 200;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, c.rank() == 0 ? 8 : 0, 8);
            w.memory().fill((byte) 0);
            c.engine().blocking().barrier();
            final long[] taken = new long[each];
            w.lockAll(0);
            for (int i = 0; i < each; i++) {
                final long[] before = new long[1];
                w.fetchAndOp(new long[] {1}, before, Datatype.LONG, 0, 0, Op.SUM);
                w.flush(0);
                taken[i] = before[0];
            }
            w.unlockAll();
            final long[] all = new long[each * c.size()];
            c.engine().blocking().allgather(taken, each, Datatype.LONG, all, each, Datatype.LONG);
            assertArrayEquals(LongStream.range(0, all.length).toArray(), Arrays.stream(all).sorted().toArray());
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldReadWhatWasThereBeforeItCombines(final List<Integer> nodeOf) throws Exception {
        final int count = 40_000;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 4L * count, 4);
            for (int i = 0; i < count; i++) {
                w.memory().setAtIndex(ValueLayout.JAVA_INT, i, i + c.rank());
            }
            final int[] data = IntStream.range(0, count).toArray();
            final int[] before = new int[count];
            final int[] unchanged = new int[count];
            w.fence(0);
            w.getAccumulate(data, count, Datatype.INT, before, count, Datatype.INT, next(c), 0, count, Datatype.INT, Op.SUM);
            w.fence(0);
            w.getAccumulate(null, 0, Datatype.INT, unchanged, count, Datatype.INT, next(c), 0, count, Datatype.INT, Op.NO_OP);
            w.fence(0);
            for (int i = 0; i < count; i++) {
                assertEquals(i + next(c), before[i]);
                assertEquals(2 * i + next(c), unchanged[i]);
                assertEquals(2 * i + c.rank(), w.memory().getAtIndex(ValueLayout.JAVA_INT, i));
            }
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldFindTheMinimumAndItsIndexOfElementsWithGaps(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 32, 16);
            for (int i = 0; i < 2; i++) {
                w.memory().set(ValueLayout.JAVA_DOUBLE, 16L * i, 1e9);
                w.memory().set(ValueLayout.JAVA_INT, 16L * i + 8, -1);
            }
            final MemorySegment own = direct(32);
            for (int i = 0; i < 2; i++) {
                own.set(ValueLayout.JAVA_DOUBLE, 16L * i, (c.rank() + i) % c.size());
                own.set(ValueLayout.JAVA_INT, 16L * i + 8, c.rank());
            }
            w.fence(0);
            w.accumulate(own, 2, Datatype.DOUBLE_INT, 0, 0, 2, Datatype.DOUBLE_INT, Op.MINLOC);
            w.fence(0);
            if (c.rank() == 0) {
                for (int i = 0; i < 2; i++) {
                    assertEquals(0, w.memory().get(ValueLayout.JAVA_DOUBLE, 16L * i));
                    assertEquals((c.size() - i) % c.size(), w.memory().get(ValueLayout.JAVA_INT, 16L * i + 8));
                }
            }
            w.free();
        });
    }

    /** Returns the nodes of ranks, with each predefined pair. */
    static Stream<Arguments> pairs() {
        return nodes().flatMap(n -> Stream.of(Datatype.INT2, Datatype.SHORT_INT, Datatype.LONG_INT, Datatype.FLOAT_INT, Datatype.DOUBLE_INT)
            .map(pair -> arguments(n, pair)));
    }

    private static void setPair(final MemorySegment m, final Datatype pair, final long at, final int value, final int index) {
        if (pair == Datatype.INT2) {
            m.set(ValueLayout.JAVA_INT_UNALIGNED, at, value);
        } else if (pair == Datatype.SHORT_INT) {
            m.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
        } else if (pair == Datatype.LONG_INT) {
            m.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
        } else if (pair == Datatype.FLOAT_INT) {
            m.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
        } else {
            m.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
        }
        m.set(ValueLayout.JAVA_INT_UNALIGNED, at + (pair.extent() > 8 ? 8 : 4), index);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldCombinePairsInElementsOfDerivedTypes(final List<Integer> nodeOf, final Datatype pair) throws Exception {
        final int count = 3_000; // more than fits a frame
        // four pairs of nine, at irregular distances and not in their order in memory
        final Datatype some = Datatype.indexed(new long[] {1, 2, 1}, new long[] {7, 0, 4}, pair);
        final Datatype column = Datatype.resized(Datatype.struct(new long[] {1}, new long[] {0}, some), 0, 9 * pair.extent());
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final int each = (int) pair.extent();
            final Window w = Window.allocate(c, 9L * count * each, each);
            final int[] places = {7, 0, 1, 4};
            for (int i = 0; i < 9 * count; i++) {
                setPair(w.memory(), pair, (long) i * each, 100, -1);
            }
            final MemorySegment own = direct(4 * count * each);
            for (int i = 0; i < 4 * count; i++) {
                setPair(own, pair, (long) i * each, (c.rank() + i) % c.size(), c.rank());
            }
            final MemorySegment before = direct(4 * count * each);
            w.fence(0);
            w.accumulate(own, 4 * count, pair, 0, 0, count, column, Op.MINLOC);
            w.fence(0);
            w.getAccumulate(own, 4 * count, pair, before, 4 * count, pair, next(c), 0, count, column, Op.MAXLOC);
            w.fence(0);
            final MemorySegment expected = direct(9 * count * each);
            final MemorySegment expectedBefore = direct(4 * count * each);
            for (int i = 0; i < 9 * count; i++) {
                setPair(expected, pair, (long) i * each, 100, -1);
            }
            for (int i = 0; i < 4 * count; i++) {
                final int at = i / 4 * 9 + places[i % 4];
                final int first = (c.size() - i % c.size()) % c.size();
                // rank 0 has the least values and their ranks, then the greatest of the rank before it
                if (c.rank() == 0) {
                    final int greater = (previous(c) + i) % c.size();
                    setPair(expected, pair, (long) at * each, greater, greater > 0 ? previous(c) : first);
                }
                setPair(expectedBefore, pair, (long) i * each, next(c) == 0 ? 0 : 100, next(c) == 0 ? first : -1);
            }
            assertEquals(-1, expected.mismatch(w.memory()));
            assertEquals(-1, expectedBefore.mismatch(before));
            assertFails(ErrorClass.OP, "operation not defined on type: op=SUM, type=" + pair.name(),
                () -> w.accumulate(own, 4, pair, 0, 0, 1, column, Op.SUM));
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldWriteEachPartOfAPairToItsPlace(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 24, 8);
            w.memory().fill((byte) -1);
            final MemorySegment own = direct(24);
            final MemorySegment expected = direct(24);
            expected.fill((byte) -1);
            for (int i = 0; i < 3; i++) {
                setPair(own, Datatype.SHORT_INT, 8L * i, 5 + i, c.rank());
                setPair(expected, Datatype.SHORT_INT, 8L * i, 5 + i, previous(c));
            }
            w.fence(0);
            w.put(own, 3, Datatype.SHORT_INT, next(c), 0, 3, Datatype.SHORT_INT);
            w.fence(0);
            assertEquals(-1, expected.mismatch(w.memory()));
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldLetOneRankAtATimeHaveAnExclusiveLock(final List<Integer> nodeOf) throws Exception {
        final int turns = 50;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 8, 4);
            w.memory().fill((byte) 0);
            c.engine().blocking().barrier();
            final int target = c.size() - 1;
            for (int i = 0; i < turns; i++) {
                w.lock(true, target, 0);
                final int[] value = new int[2];
                w.get(value, 2, Datatype.INT, target, 0, 2, Datatype.INT);
                w.flush(target);
                assertEquals(value[0], value[1]);
                w.put(new int[] {value[0] + 1}, 1, Datatype.INT, target, 0, 1, Datatype.INT);
                w.put(new int[] {value[0] + 1}, 1, Datatype.INT, target, 1, 1, Datatype.INT);
                w.unlock(target);
            }
            c.engine().blocking().barrier();
            w.lock(false, target, 0);
            final int[] value = new int[2];
            w.get(value, 2, Datatype.INT, target, 0, 2, Datatype.INT);
            w.unlock(target);
            assertArrayEquals(new int[] {turns * c.size(), turns * c.size()}, value);
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldSwapAnElementOnlyIfItIsEqual(final List<Integer> nodeOf) throws Exception {
        final int turns = 30;
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 16, 8);
            w.memory().fill((byte) 0);
            c.engine().blocking().barrier();
            w.lockAll(0);
            final long[] before = new long[1];
            for (int i = 0; i < turns; i++) {
                long expected = 0;
                while (true) {
                    w.compareAndSwap(new long[] {expected + 1}, new long[] {expected}, before, Datatype.LONG, 0, 1);
                    w.flush(0);
                    if (before[0] == expected) {
                        break;
                    }
                    expected = before[0];
                }
            }
            w.unlockAll();
            c.engine().blocking().barrier();
            if (c.rank() == 0) {
                assertEquals((long) turns * c.size(), w.memory().get(ValueLayout.JAVA_LONG, 8));
            }
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldAccessInGroupsThatStartAndPost(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 4L * c.size(), 4);
            final Group group = c.context().group();
            for (int i = 0; i < 10; i++) {
                w.memory().fill((byte) 0);
                w.post(group, 0);
                w.start(group, 0);
                for (int r = 0; r < c.size(); r++) {
                    w.put(new int[] {10 * i + c.rank() + 1}, 1, Datatype.INT, r, c.rank(), 1, Datatype.INT);
                }
                w.complete();
                if (i % 2 == 0) {
                    w.await();
                } else {
                    while (!w.test()) {
                        Thread.onSpinWait();
                    }
                }
                final int round = i;
                assertArrayEquals(IntStream.range(0, c.size()).map(r -> 10 * round + r + 1).toArray(), ints(w));
                c.engine().blocking().barrier();
            }
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldServeATargetThatMakesNoCall(final List<Integer> nodeOf) throws Exception {
        serve(nodeOf, 0);
        serve(nodeOf, 1);
        serve(nodeOf, 2);
    }

    private static void serve(final List<Integer> nodeOf, final int sharing) throws Exception {
        final CountDownLatch done = new CountDownLatch(nodeOf.size() - 1);
        run(nodeOf, sharing, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 8, 8);
            w.memory().fill((byte) 0);
            c.engine().blocking().barrier();
            if (c.rank() == 0) {
                assertTrue(done.await(60, TimeUnit.SECONDS));
                assertEquals(c.size() * (c.size() - 1L) / 2, w.memory().get(ValueLayout.JAVA_LONG, 0));
            } else {
                w.lock(false, 0, 0);
                w.accumulate(new long[] {c.rank()}, 1, Datatype.LONG, 0, 0, 1, Datatype.LONG, Op.SUM);
                w.unlock(0);
                done.countDown();
            }
            c.engine().blocking().barrier();
            w.free();
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldAccessMemoryThatIsAttached(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.dynamic(c);
            final MemorySegment memory = direct(80);
            w.attach(memory);
            final long[] addresses = new long[c.size()];
            c.engine().blocking().allgather(new long[] {memory.address()}, 1, Datatype.LONG, addresses, 1, Datatype.LONG);
            w.fence(0);
            w.put(new int[] {c.rank() + 5}, 1, Datatype.INT, next(c), addresses[next(c)] + 40, 1, Datatype.INT);
            w.fence(0);
            assertEquals(previous(c) + 5, memory.get(ValueLayout.JAVA_INT, 40));
            w.detach(memory);
            assertEquals(ErrorClass.RMA_ATTACH, assertThrows(MpiFailure.class, () -> w.detach(memory)).errorClass());
            c.engine().blocking().barrier();
            w.lock(false, next(c), 0);
            final MpiFailure e = assertThrows(MpiFailure.class, () -> {
                w.put(new int[] {1}, 1, Datatype.INT, next(c), addresses[next(c)], 1, Datatype.INT);
                w.flush(next(c));
            });
            assertEquals(ErrorClass.RMA_RANGE, e.errorClass());
            assertTrue(e.getMessage().startsWith("memory is not attached to the window: target=" + next(c)), e.getMessage());
            w.unlock(next(c));
            w.free();
        });
    }

    private static void assertFails(final ErrorClass errorClass, final String text, final Runnable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call::run);
        assertEquals(errorClass + ": " + text, e.errorClass() + ": " + e.getMessage());
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldRefuseBadArgumentsAndGoOn(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 16, 4);
            final int[] one = {1};
            assertFails(ErrorClass.RMA_SYNC, "target cannot be accessed in this epoch: target=0, epoch=none",
                () -> w.put(one, 1, Datatype.INT, 0, 0, 1, Datatype.INT));
            assertFails(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=complete, epoch=none, posted=false", w::complete);
            assertFails(ErrorClass.RMA_SYNC, "no exposure epoch is open", w::await);
            assertFails(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=unlockAll, epoch=none, posted=false", w::unlockAll);
            assertFails(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=flush, epoch=none, posted=false", () -> w.flush(0));
            assertFails(ErrorClass.RMA_SYNC, "target is not locked: target=0", () -> w.unlock(0));
            assertFails(ErrorClass.ASSERT, "assertion out of range: assertion=1, allowed bits=30", () -> w.fence(Window.NOCHECK));
            assertFails(ErrorClass.RMA_FLAVOR, "window is not dynamic: flavor=ALLOCATED", () -> w.attach(direct(8)));
            w.fence(0);
            assertFails(ErrorClass.RANK, "rank out of range: rank=" + c.size() + ", size=" + c.size(),
                () -> w.put(one, 1, Datatype.INT, c.size(), 0, 1, Datatype.INT));
            assertFails(ErrorClass.DISP, "displacement is negative: displacement=-1", () -> w.get(one, 1, Datatype.INT, 0, -1, 1, Datatype.INT));
            assertFails(ErrorClass.RMA_RANGE, "beyond the memory of the window: target=0, displacement=3, unit=4, count=2, type=INT, window=16 bytes",
                () -> w.get(new int[2], 2, Datatype.INT, 0, 3, 2, Datatype.INT));
            assertFails(ErrorClass.RMA_RANGE, "beyond the memory of the window: target=0, displacement=" + Long.MAX_VALUE
                + ", unit=4, count=1, type=INT, window=16 bytes", () -> w.get(one, 1, Datatype.INT, 0, Long.MAX_VALUE, 1, Datatype.INT));
            assertFails(ErrorClass.TYPE, "origin and target differ: origin=4 bytes, target=2 INT of 4 bytes",
                () -> w.put(one, 1, Datatype.INT, 0, 0, 2, Datatype.INT));
            assertFails(ErrorClass.OP, "operation not defined on type: op=BAND, type=DOUBLE",
                () -> w.accumulate(new double[1], 1, Datatype.DOUBLE, 0, 0, 1, Datatype.DOUBLE, Op.BAND));
            assertFails(ErrorClass.TYPE, "elements cannot be compared: type=DOUBLE",
                () -> w.compareAndSwap(new double[1], new double[1], new double[1], Datatype.DOUBLE, 0, 0));
            assertFails(ErrorClass.BUFFER, "buffer too small: need=8, have=4 bytes (count=2, type=INT)",
                () -> w.put(one, 2, Datatype.INT, 0, 0, 2, Datatype.INT));
            assertTrue(w.rput(one, 1, Datatype.INT, Reserved.PROC_NULL, 0, 1, Datatype.INT).isDone());
            w.put(new int[0], 0, Datatype.INT, 0, 0, 0, Datatype.INT);
            w.fence(Window.NOSUCCEED);
            w.lock(false, 0, 0);
            assertFails(ErrorClass.RMA_SYNC, "target is locked already: target=0", () -> w.lock(false, 0, 0));
            assertFails(ErrorClass.RMA_SYNC, "call does not fit to the epoch: call=free, epoch=lock, posted=false", w::free);
            w.unlock(0);
            w.free();
            assertFails(ErrorClass.WIN, "window has been freed", () -> w.fence(0));
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldRefuseAWindowOnAllRanksThatOneCannotCreate(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final int bad = c.size() - 1;
            final MpiFailure e = assertThrows(MpiFailure.class, () -> Window.allocate(c, 8, c.rank() == bad ? 0 : 1));
            assertEquals(c.rank() == bad ? "unit of displacements out of range: unit=0, range=1..2147483647"
                : "call failed on rank " + bad + ", node n" + nodeOf.get(bad) + ": invalid displacement", e.getMessage());
            assertEquals(ErrorClass.DISP, e.errorClass());
            if (c.size() > 1) {
                assertThrows(MpiFailure.class, () -> {
                    if (c.rank() == 0) {
                        Window.dynamic(c);
                    } else {
                        Window.allocate(c, 8, 8);
                    }
                });
            }
            assertNothingLeft(c);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadByTheAccessOfTheTransport(final MemoryTransport.Reading reading) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES, reading)) {
            Ranks.run(3, 3, transport, Ranks.job(3, Map.of(), List.of(new BasicModule())), rank -> {
                final Communicator c = rank.world();
                final Window w = Window.allocate(c, 3L << 20, 1);
                final int bytes = (3 << 20) - 5;
                w.fence(0);
                w.put(bytes(bytes, c.rank()), bytes, Datatype.BYTE, next(c), 5, bytes, Datatype.BYTE);
                w.fence(0);
                assertArrayEquals(bytes(bytes, previous(c)), Arrays.copyOfRange(content(w), 5, 5 + bytes));
                c.engine().blocking().barrier();
                w.lock(true, next(c), 0);
                final MemorySegment got = direct(bytes);
                w.get(got, bytes, Datatype.BYTE, next(c), 5, bytes, Datatype.BYTE);
                w.put(new byte[] {(byte) c.rank()}, 1, Datatype.BYTE, next(c), 0, 1, Datatype.BYTE);
                w.unlock(next(c));
                assertArrayEquals(bytes(bytes, c.rank()), got.toArray(ValueLayout.JAVA_BYTE));
                c.engine().blocking().barrier();
                assertEquals(previous(c), w.memory().get(ValueLayout.JAVA_BYTE, 0));
                w.free();
            });
            assertEquals(reading == MemoryTransport.Reading.NONE, transport.writes() == 0);
        }
    }

    @Test
    void shouldCompleteRequestsOfAccesses() throws Exception {
        run(List.of(0, 1), rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, LONG, 1);
            w.memory().fill((byte) (c.rank() + 1));
            c.engine().blocking().barrier();
            w.lockAll(0);
            final byte[] got = new byte[LONG];
            final Request get = w.rget(got, LONG, Datatype.BYTE, next(c), 0, LONG, Datatype.BYTE);
            get.await();
            for (final byte b : got) {
                assertEquals(next(c) + 1, b);
            }
            w.unlockAll();
            w.free();
        });
    }

    @Test
    void shouldSendShortAccessesInARowTogether() throws Exception {
        final int accesses = 1_000;
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES)) {
            Ranks.run(List.of(0, 1), transport, Ranks.job(2, Map.of(), List.of(new BasicModule())), rank -> {
                final Communicator c = rank.world();
                final Window w = Window.allocate(c, 8L * accesses, 4);
                w.memory().fill((byte) 0);
                c.engine().blocking().barrier();
                if (c.rank() == 0) {
                    final int before = transport.frames();
                    w.lockAll(0);
                    final int[] sent = {0};
                    final int[][] got = new int[accesses][1];
                    for (int i = 0; i < accesses; i++) {
                        sent[0] = i; // short data is copied
                        w.put(sent, 1, Datatype.INT, 1, 2L * i, 1, Datatype.INT);
                    }
                    w.flushLocal(1);
                    w.flush(1);
                    for (int i = 0; i < accesses; i++) {
                        w.accumulate(new int[] {1}, 1, Datatype.INT, 1, 2L * (i / 2), 1, Datatype.INT, Op.SUM);
                    }
                    w.accumulate(new int[] {5}, 1, Datatype.INT, 1, 1, 1, Datatype.INT, Op.MAX);
                    w.accumulate(new int[] {4}, 1, Datatype.INT, 1, 1, 1, Datatype.INT, Op.SUM);
                    w.flush(1);
                    for (int i = 0; i < accesses; i++) {
                        w.get(got[i], 1, Datatype.INT, 1, 2L * i, 1, Datatype.INT);
                    }
                    w.flush(1);
                    w.unlockAll();
                    for (int i = 0; i < accesses; i++) {
                        assertEquals(i + (i < accesses / 2 ? 2 : 0), got[i][0], "element " + i);
                    }
                    // elements that are combined twice go in frames of their own
                    assertTrue(transport.frames() - before < accesses, () -> "frames: " + (transport.frames() - before));
                }
                c.engine().blocking().barrier();
                assertEquals(c.rank() == 1 ? 9 : 0, ints(w)[1]);
                w.free();
            });
        }
    }

    @Test
    void shouldCompleteTheAccessesOfAThreadByItsFlushWhileAnotherOneFlushes() throws Exception {
        run(List.of(0, 1), 0, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 4L * LONG, 4);
            w.memory().fill((byte) 1);
            c.engine().blocking().barrier();
            if (c.rank() == 0) {
                w.lockAll(0);
                final AtomicBoolean isOver = new AtomicBoolean();
                final FutureTask<Void> flushes = new FutureTask<>(() -> {
                    while (!isOver.get()) {
                        w.flush(1);
                    }
                    return null;
                });
                final Thread other = Thread.ofPlatform().start(flushes);
                try {
                    for (int round = 0; round < 300; round++) {
                        final byte[] got = new byte[LONG];
                        w.get(got, LONG, Datatype.BYTE, 1, 0, LONG, Datatype.BYTE);
                        w.flush(1);
                        assertEquals(1, got[LONG - 1], "round " + round);
                    }
                } finally {
                    isOver.set(true);
                    flushes.get(60, TimeUnit.SECONDS);
                    other.join();
                }
                w.unlockAll();
            }
            c.engine().blocking().barrier();
            w.free();
        });
    }

    /** Starts a read of memory that the target has not attached; on another node it fails when the target answers, here at once. */
    private static void readNothing(final Window w, final int target) {
        try {
            w.get(new int[1], 1, Datatype.INT, target, 64, 1, Datatype.INT);
        } catch (final MpiFailure e) {
            assertEquals(ErrorClass.RMA_RANGE, e.errorClass());
        }
    }

    /** Starts a write of memory that the target has not attached, whose failure the next flush tells. */
    private static void writeNothing(final Window w, final int target) {
        try {
            w.put(new int[1], 1, Datatype.INT, target, 64, 1, Datatype.INT);
        } catch (final MpiFailure e) {
            assertEquals(ErrorClass.RMA_RANGE, e.errorClass());
        }
    }

    /** Runs a call that tells failures of accesses to ranks of other nodes. */
    private static void assertTold(final Communicator c, final List<Integer> nodeOf, final int target, final Runnable call) {
        if (nodeOf.get(c.rank()).equals(nodeOf.get(target))) {
            call.run();
        } else {
            assertFails(ErrorClass.RMA_RANGE, "memory is not attached to the window: target=" + target + ", bytes=4", call);
        }
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldEndTheEpochOfAllRanksWhenAnAccessHasFailed(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Group group = c.context().group();
            final Window w = Window.dynamic(c);
            w.fence(0);
            readNothing(w, 0);
            writeNothing(w, next(c));
            assertTold(c, nodeOf, nodeOf.get(c.rank()).equals(nodeOf.get(0)) ? next(c) : 0, () -> w.fence(Window.NOSUCCEED));
            for (int i = 0; i < 2; i++) {
                w.post(group, 0);
                w.start(group, 0);
                if (i == 0) {
                    readNothing(w, next(c));
                } else {
                    writeNothing(w, next(c));
                }
                assertTold(c, nodeOf, next(c), w::complete);
                w.await();
            }
            w.lockAll(0);
            readNothing(w, next(c));
            assertTold(c, nodeOf, next(c), w::unlockAll);
            w.lock(true, 0, 0);
            writeNothing(w, 0);
            assertTold(c, nodeOf, 0, () -> w.unlock(0));
            w.fence(0);
            writeNothing(w, next(c));
            assertTold(c, nodeOf, next(c), w::free);
            assertTrue(w.isFreed());
            assertNothingLeft(c);
        });
    }

    /** A module whose alltoall cannot be planned. */
    private static final class NoAlltoall implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(99, AlgorithmTable.builder().intra(Operation.ALLTOALL, "none", (call, plan) -> plan.send(
                Buffer.RECV.at(0, 1), plan.size())).build());
        }
    }

    @Test
    void shouldLeaveNothingOfASharedWindowThatCannotBeCreated() throws Exception {
        Ranks.run(3, List.of(new NoAlltoall(), new BasicModule()), rank -> {
            final Communicator c = rank.world();
            final MpiFailure e = assertThrows(MpiFailure.class, () -> Window.allocateShared(c, 8, 8));
            assertTrue(e.getMessage().startsWith("cannot plan alltoall"), e.getMessage());
            final String elsewhere = "call failed on rank 0, node n0: out of memory";
            assertFails(ErrorClass.NO_MEM, c.rank() == 0 ? "no memory for a window: bytes of all ranks exceed 63 bits" : elsewhere,
                () -> Window.allocateShared(c, Long.MAX_VALUE / 2, 8));
            assertFails(ErrorClass.NO_MEM, c.rank() == 0 ? "no memory for a window: bytes=" + 3 * (1L << 60) : elsewhere,
                () -> Window.allocateShared(c, 1L << 60, 8));
            c.engine().blocking().allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM);
            assertEquals(0, c.context().owner().job().windows().size());
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldShareMemoryOfRanksOfAllJvmsOfAHost(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocateShared(c, c.rank() == 0 ? 0 : 100_001L, 1);
            c.engine().blocking().barrier();
            for (int r = 1; r < c.size(); r++) {
                assertEquals(100_001, w.shared(r).byteSize());
                w.shared(r).set(ValueLayout.JAVA_BYTE, c.rank(), (byte) (7 + c.rank()));
            }
            assertEquals(w.shared(c.size() == 1 ? 0 : 1), w.shared(Reserved.PROC_NULL));
            c.engine().blocking().barrier();
            for (int r = 0; r < c.size() && c.rank() > 0; r++) {
                assertEquals(7 + r, w.memory().get(ValueLayout.JAVA_BYTE, r));
            }
            w.lockAll(0);
            final int to = c.size() - 1;
            if (to > 0) {
                w.accumulate(new int[] {1}, 1, Datatype.INT, to, 1_000, 1, Datatype.INT, Op.SUM);
                w.put(new byte[] {3}, 1, Datatype.BYTE, to, 2_000 + c.rank(), 1, Datatype.BYTE);
            }
            w.unlockAll();
            c.engine().blocking().barrier();
            if (to > 0) {
                assertEquals(c.size(), w.shared(to).get(ValueLayout.JAVA_INT_UNALIGNED, 1_000));
                assertEquals(3, w.shared(to).get(ValueLayout.JAVA_BYTE, 2_000));
            }
            w.free();
            assertNothingLeft(c);
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldTellAllRanksThatThereIsNoMemoryToShare(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            for (final long bytes : new long[] {1L << 59, Long.MAX_VALUE / c.size()}) {
                assertEquals(ErrorClass.NO_MEM, assertThrows(MpiFailure.class, () -> Window.allocateShared(c, bytes, 8)).errorClass());
                assertEquals(ErrorClass.NO_MEM, assertThrows(MpiFailure.class, () -> Window.allocate(c, bytes, 8)).errorClass());
            }
            assertNothingLeft(c);
        });
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void shouldAccessUnderLocksThatNobodyChecks(final List<Integer> nodeOf) throws Exception {
        run(nodeOf, rank -> {
            final Communicator c = rank.world();
            final Window w = Window.allocate(c, 4L * c.size(), 4);
            c.engine().blocking().barrier();
            w.lock(true, next(c), Window.NOCHECK);
            assertEquals(List.of(), c.context().owner().job().windows().find(w.communicator().contextId(), c.rank()).locks().held().holders());
            w.put(new int[] {7 + c.rank()}, 1, Datatype.INT, next(c), c.rank(), 1, Datatype.INT);
            w.unlock(next(c));
            w.lockAll(Window.NOCHECK);
            w.accumulate(new int[] {1}, 1, Datatype.INT, next(c), c.rank(), 1, Datatype.INT, Op.SUM);
            w.unlockAll();
            c.engine().blocking().barrier();
            assertEquals(8 + previous(c), ints(w)[previous(c)]);
            w.lock(true, next(c), 0);
            w.unlock(next(c));
            c.engine().blocking().barrier();
            w.free();
            assertNothingLeft(c);
        });
    }
}
