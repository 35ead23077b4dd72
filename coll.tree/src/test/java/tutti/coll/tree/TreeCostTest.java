package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.patterns.LinearGatherv;
import tutti.coll.patterns.LinearScatterv;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Counts the cost that the Javadoc of the algorithms states, for s segments, each of two elements. */
class TreeCostTest {
    private static final int MAX_RANKS = 40;
    private static final int[] SEGMENTS = {1, 2, 6};
    private static final long ELEMENT = 4;
    private static final long SEGMENT = 2 * ELEMENT;
    private static final double ALPHA = 64;
    private static final double BETA = 2;
    private static final double STEP = ALPHA + SEGMENT * BETA;
    private static final SymbolicReduction ORDERED = new SymbolicReduction(ELEMENT, false);
    private static final SymbolicReduction COMMUTING = new SymbolicReduction(ELEMENT, true);

    /** A tree over p ranks, k-nomial of at most k^d ranks or k-ary of at most 1 + k + … + k^d: full if it has as many. */
    record Case(TreeShape shape, int k, int d, int p, boolean full) {
        boolean isKnomial() {
            return shape instanceof KnomialTree;
        }

        /** Returns the steps that a message needs to reach all ranks. */
        int pathSteps() {
            return isKnomial() ? (k - 1) * d : k * d;
        }

        /** Returns the largest number of messages of one segment between a rank and its children. */
        int fan() {
            return isKnomial() ? (k - 1) * d : k;
        }

        /** Returns the sum of the blocks that each level of a gather sends to the root. */
        double blocks() {
            long all = 1;
            for (int i = 0, level = 1; i < d; i++) {
                level *= k;
                all = isKnomial() ? level : all + level;
            }
            return isKnomial() ? all - 1 : (double) k / (k - 1) * (all - 1 - d);
        }
    }

    static Stream<Case> cases() {
        return IntStream.of(2, 3, 4, 8).boxed()
            .flatMap(k -> IntStream.concat(IntStream.rangeClosed(2, 17), IntStream.of(21, 27, 31, 32, 33, MAX_RANKS)).boxed()
                .flatMap(p -> Stream.of(of(new KnomialTree(k), k, p), of(new KaryTree(k), k, p))));
    }

    private static Case of(final TreeShape shape, final int k, final int p) {
        long capacity = 1;
        int d = 0;
        for (long level = 1; capacity < p; d++) {
            level *= k;
            capacity = shape instanceof KnomialTree ? level : capacity + level;
        }
        return new Case(shape, k, d, p, capacity == p);
    }

    private static void assertTakes(final double steps, final Case c, final double time) {
        if (c.full) {
            assertEquals(steps, time, c::toString);
        } else {
            assertTrue(time <= steps, () -> c + " steps=" + steps + " time=" + time);
        }
    }

    private static double steps(final CostSimulator clock) {
        return clock.time(ALPHA, BETA, 0) / STEP;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldBroadcastSegmentAfterSegment(final Case c) {
        for (final int s : SEGMENTS) {
            for (final int root : new int[] {0, c.p / 2}) {
                final CostSimulator clock = CostSimulator.of(new TreeBcast(c.shape, SEGMENT), c.p, new Call.Bcast(s * SEGMENT, root));
                assertTakes(c.pathSteps() + (s - 1) * c.fan(), c, steps(clock));
                assertEquals((c.p - 1L) * s, clock.messages());
                assertEquals(0, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldReduceSegmentAfterSegment(final Case c) {
        for (final int s : SEGMENTS) {
            for (final boolean canonical : c.shape.isCanonical() ? new boolean[] {false, true} : new boolean[] {false}) {
                final TreeReduce reduce = new TreeReduce(c.shape, SEGMENT, canonical);
                final CostSimulator clock = CostSimulator.of(reduce, c.p, new Call.Reduce(COMMUTING, s * 2, 0, false));
                if (s == 1) {
                    assertTakes(c.pathSteps(), c, steps(clock));
                }
                assertTrue(steps(clock) <= maxReduceSteps(c, s), () -> c + " " + steps(clock));
                assertEquals((c.p - 1L) * s, clock.messages());
                final CostSimulator passed = CostSimulator.of(reduce, c.p, new Call.Reduce(ORDERED, s * 2, c.p - 1, false));
                assertTrue(steps(passed) <= maxReduceSteps(c, s) + (s == 1 ? 1 : 0), () -> c + " " + steps(passed));
                assertEquals((long) c.p * s, passed.messages());
            }
        }
    }

    private static int maxReduceSteps(final Case c, final int s) {
        return c.pathSteps() + (s - 1) * c.fan() + (s == 1 ? 0 : c.k * c.d);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldOverlapCombiningExceptOncePerLevel(final Case c) {
        final double gamma = BETA;
        final int levels = c.shape.isCanonical() ? log2(c.k) : 1;
        final double most = c.pathSteps() * STEP + c.d * SEGMENT * gamma;
        final double canonical = c.pathSteps() * STEP + c.d * SEGMENT * gamma * levels;
        assertTrue(one(new TreeReduce(c.shape, SEGMENT, false), c).time(ALPHA, BETA, gamma) <= most);
        assertTrue(!c.shape.isCanonical() || one(new TreeReduce(c.shape, SEGMENT, true), c).time(ALPHA, BETA, gamma) <= canonical);
        final CostSimulator both = CostSimulator.of(new TreeAllreduce(c.shape, SEGMENT), c.p, new Call.Allreduce(COMMUTING, 2, false));
        assertTrue(both.time(ALPHA, BETA, gamma) <= c.pathSteps() * STEP + canonical);
    }

    private static CostSimulator one(final TreeReduce reduce, final Case c) {
        return CostSimulator.of(reduce, c.p, new Call.Reduce(COMMUTING, 2, 0, false));
    }

    private static int log2(final int k) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(k);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldAllreduceSegmentAfterSegment(final Case c) {
        for (final int s : SEGMENTS) {
            final int most = c.isKnomial() ? 2 * s * c.pathSteps() : 2 * c.pathSteps() + 3 * (s - 1) * c.k;
            for (final boolean inPlace : new boolean[] {false, true}) {
                final Call.Allreduce call = new Call.Allreduce(ORDERED, s * 2, inPlace);
                final CostSimulator clock = CostSimulator.of(new TreeAllreduce(c.shape, SEGMENT), c.p, call);
                if (s == 1) {
                    assertTakes(most, c, steps(clock));
                } else {
                    assertTrue(steps(clock) <= most, () -> c + " most=" + most + " time=" + steps(clock));
                }
                assertEquals((c.p - 1L) * 2 * s, clock.messages());
            }
        }
    }

    @Test
    void shouldNeedAFewSegmentsOfScratchMemory() {
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final int k : new int[] {2, 4, 8, 16}) {
                for (final boolean inPlace : new boolean[] {false, true}) {
                    final Call.Allreduce call = new Call.Allreduce(ORDERED, 50, inPlace);
                    assertTrue(CostSimulator.of(new TreeAllreduce(new KaryTree(k), SEGMENT), p, call).scratch() <= 4 * SEGMENT);
                    assertTrue(CostSimulator.of(new TreeAllreduce(new KnomialTree(k), SEGMENT), p, call).scratch() <= (log2(k) + 3) * SEGMENT);
                    final Call.Reduce up = new Call.Reduce(ORDERED, 50, 0, inPlace && p == 1);
                    assertTrue(CostSimulator.of(new TreeReduce(new KnomialTree(k), SEGMENT, false), p, up).scratch() <= 4 * SEGMENT);
                    assertTrue(CostSimulator.of(new TreeReduce(new KnomialTree(k), SEGMENT, true), p, up).scratch() <= (log2(k) + 3) * SEGMENT);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldGatherAndScatterTheBlocksOfASubtreeTogether(final Case c) {
        final long n = 10;
        final Blocks blocks = Blocks.uniform(c.p, n);
        final double most = c.pathSteps() * ALPHA + c.blocks() * n * BETA;
        final CostSimulator up = CostSimulator.of(new TreeGather(c.shape), c.p, new Call.Gather(n, blocks, 0, false));
        final CostSimulator down = CostSimulator.of(new TreeScatter(c.shape), c.p, new Call.Scatter(blocks, n, 0, false));
        for (final CostSimulator clock : new CostSimulator[] {up, down}) {
            assertTakes(most, c, clock.time(ALPHA, BETA, 0));
            assertEquals(c.p - 1, clock.messages());
        }
        for (int root = 1; root < c.p; root++) {
            final CostSimulator rotatedUp = CostSimulator.of(new TreeGather(c.shape), c.p, new Call.Gather(n, blocks, root, false));
            final CostSimulator rotatedDown = CostSimulator.of(new TreeScatter(c.shape), c.p, new Call.Scatter(blocks, n, root, false));
            assertTrue(rotatedUp.time(ALPHA, BETA, 0) <= most + ALPHA, () -> c + " up " + rotatedUp.time(ALPHA, BETA, 0) + " most=" + most);
            assertTrue(rotatedUp.messages() <= c.p);
            assertTrue(rotatedDown.time(ALPHA, BETA, 0) <= most + 2 * ALPHA + c.p * n * BETA, () -> c + " down " + rotatedDown.time(ALPHA, BETA, 0));
            assertTrue(rotatedDown.messages() <= c.p);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldSynchroniseUpAndDownTheTree(final Case c) {
        final CostSimulator clock = CostSimulator.of(new TreeBarrier(c.shape), c.p, new Call.Barrier());
        assertTakes(2 * c.pathSteps(), c, clock.time(1, BETA, 0));
        assertEquals(2 * (c.p - 1), clock.messages());
    }

    @Test
    void shouldTransferOneBlockAfterTheOtherAlongAStar() {
        for (int p = 2; p <= MAX_RANKS; p++) {
            final int size = p;
            final int root = p / 3;
            final Blocks blocks = Blocks.packed(IntStream.range(0, p).mapToLong(i -> 5L * (i % 3)).toArray());
            final long others = blocks.total() - blocks.bytes(root);
            final long messages = IntStream.range(0, p).filter(i -> i != root && blocks.bytes(i) > 0).count();
            for (final int throttle : new int[] {1, 3, 100}) {
                final CostSimulator up = CostSimulator.of(new LinearGatherv(throttle), IntStream.range(0, size)
                    .mapToObj(r -> new Call.Gather(blocks.bytes(r), r == root ? blocks : null, root, false)).toList());
                final CostSimulator down = CostSimulator.of(new LinearScatterv(throttle), IntStream.range(0, size)
                    .mapToObj(r -> new Call.Scatter(r == root ? blocks : null, blocks.bytes(r), root, false)).toList());
                for (final CostSimulator clock : new CostSimulator[] {up, down}) {
                    assertEquals(messages * ALPHA + others * BETA, clock.time(ALPHA, BETA, 0));
                    assertEquals(messages, clock.messages());
                    assertEquals(0, clock.scratch());
                }
            }
        }
    }
}
