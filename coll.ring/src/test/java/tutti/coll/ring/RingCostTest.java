package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Counts the cost that the Javadoc of the algorithms states, for s segments in a block, each of two elements. */
class RingCostTest {
    private static final int MAX_RANKS = 9;
    private static final long ELEMENT = 4;
    private static final long SEGMENT = 2 * ELEMENT;
    private static final double ALPHA = 64;
    private static final double BETA = 2;
    /** Combining a segment takes less time than transferring one. */
    private static final double GAMMA = 1;
    private static final SymbolicReduction ORDERED = new SymbolicReduction(ELEMENT, false);
    private static final SymbolicReduction COMMUTING = new SymbolicReduction(ELEMENT, true);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldBroadcastInAsManyStepsAsHopsAndSegments(final int s) {
        final long n = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (int root = 0; root < p; root += 2) {
                final CostSimulator clock = CostSimulator.of(new PipelinedBcast(SEGMENT, RingOrder.BY_RANK), p, new Call.Bcast(n, root));
                assertEquals((p - 2 + s) * (ALPHA + SEGMENT * BETA), time(clock));
                assertEquals((p - 1L) * s, clock.messages());
                assertEquals(0, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldAllgatherWithEveryByteReceivedOnce(final int s) {
        final long m = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            final CostSimulator clock = CostSimulator.of(new RingAllgather(SEGMENT, RingOrder.BY_RANK), p,
                new Call.Allgather(m, Blocks.uniform(p, m), false));
            assertEquals((p - 1) * (s * ALPHA + m * BETA), time(clock));
            assertEquals((p - 1L) * p * s, clock.messages());
            assertEquals(0, clock.scratch());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldPassOnALongBlockWhileItArrives(final int s) {
        final long m = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            final long[] lengths = new long[p];
            lengths[p / 2] = m;
            final Blocks blocks = Blocks.packed(lengths);
            final CostSimulator clock = CostSimulator.of(new RingAllgather(SEGMENT, RingOrder.BY_RANK),
                LongStream.of(lengths).mapToObj(l -> new Call.Allgather(l, blocks, false)).toList());
            assertEquals((p - 2 + s) * (ALPHA + SEGMENT * BETA), time(clock));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldReduceScatterWithEveryByteReceivedOnce(final int s) {
        final long m = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = reduceScatter(p, COMMUTING, m, inPlace);
                assertEquals((p - 1) * (s * ALPHA + m * BETA) + (s == 1 ? (p - 1) * m : SEGMENT) * GAMMA, time(clock));
                assertEquals((p - 1L) * p * s, clock.messages());
                assertEquals((p - 1) * m, clock.combined());
                assertEquals((inPlace ? 1 : Math.min(2, p - 2)) * m, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldAllreduceWithEveryByteReceivedTwice(final int s) {
        final long m = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = CostSimulator.of(new RingAllreduce(SEGMENT, RingOrder.BY_RANK), p,
                    new Call.Allreduce(COMMUTING, p * m / ELEMENT, inPlace));
                assertEquals(2 * (p - 1) * (s * ALPHA + m * BETA) + (s == 1 ? (p - 1) * m * GAMMA : 0), time(clock));
                assertEquals(2L * (p - 1) * p * s, clock.messages());
                assertEquals((p - 1) * m, clock.combined());
                assertEquals(inPlace ? m : 0, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 32})
    void shouldAllreduceInOrderInTwiceAroundTheRing(final int s) {
        final long n = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = CostSimulator.of(new RingAllreduce(SEGMENT, RingOrder.BY_RANK), p,
                    new Call.Allreduce(ORDERED, n / ELEMENT, inPlace));
                if (s <= p) {
                    assertEquals((2 * p - 3 + s) * (ALPHA + SEGMENT * BETA) + (p - 1) * SEGMENT * GAMMA, time(clock));
                } else {
                    assertTrue(clock.time(1, 0, 0) <= 2 * p - 3 + 2 * s, () -> "steps=" + clock.time(1, 0, 0) + ", size=" + clock.size());
                }
                assertEquals(2L * (p - 1) * s, clock.messages());
                assertEquals(n, clock.combined());
                assertEquals(inPlace ? ScratchSlots.PIPELINE_SLOTS * SEGMENT : 0, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldReduceScatterInOrderInTwiceTheBytes(final int s) {
        final long m = s * SEGMENT;
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                final CostSimulator clock = reduceScatter(p, ORDERED, m, inPlace);
                final double steps = clock.time(1, 0, 0);
                final int most = 2 * p * s;
                assertTrue(steps <= most, () -> "steps=" + steps + ", most=" + most);
                if (s == 1 && p > 3) {
                    assertEquals(most, steps);
                }
                assertEquals(steps * SEGMENT, clock.time(0, 1, 0));
                assertEquals(((long) p * p - 1) * s, clock.messages());
                assertEquals(p * m, clock.combined());
                assertEquals(ScratchSlots.PIPELINE_SLOTS * SEGMENT, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldReduceInAsManyStepsAsHopsAndSegments(final int s) {
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (int root = 0; root < p; root += 3) {
                for (final boolean inPlace : new boolean[] {false, true}) {
                    final CostSimulator clock = reduce(p, COMMUTING, s, root, inPlace);
                    assertEquals((p - 2 + s) * (ALPHA + SEGMENT * BETA) + (p - 1) * SEGMENT * GAMMA, time(clock));
                    assertEquals((p - 1L) * s, clock.messages());
                    assertEquals(s * SEGMENT, clock.combined());
                    assertEquals(p == 2 && !inPlace ? 0 : ScratchSlots.PIPELINE_SLOTS * SEGMENT, clock.scratch());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 32})
    void shouldReduceInOrderThroughTwoChains(final int s) {
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (int root = 0; root < p; root++) {
                final CostSimulator clock = reduce(p, ORDERED, s, root, root % 2 == 0);
                final int most = p - 2 + (root == 0 ? 1 : 2) * s;
                assertTrue(clock.time(1, 0, 0) <= most, () -> "steps=" + clock.time(1, 0, 0) + ", most=" + most + ", size=" + clock.size());
                assertEquals((p - 1L) * s, clock.messages());
                assertTrue(clock.combined() <= 2 * s * SEGMENT);
                assertTrue(clock.scratch() <= ScratchSlots.PIPELINE_SLOTS * SEGMENT);
                if (root == 0) {
                    assertEquals(most * (ALPHA + SEGMENT * BETA) + (p - 1) * SEGMENT * GAMMA, time(clock));
                }
            }
        }
    }

    private static CostSimulator reduce(final int p, final SymbolicReduction op, final int s, final int root, final boolean inPlace) {
        return CostSimulator.of(new ChainReduce(SEGMENT, RingOrder.BY_RANK),
            IntStream.range(0, p).mapToObj(r -> new Call.Reduce(op, s * SEGMENT / ELEMENT, root, inPlace && r == root)).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void shouldScanInAsManyStepsAsHopsAndSegments(final int s) {
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                for (final SymbolicReduction op : new SymbolicReduction[] {ORDERED, COMMUTING}) {
                    final Call.Scan call = new Call.Scan(op, s * SEGMENT / ELEMENT, inPlace);
                    final CostSimulator scan = CostSimulator.of(new ChainScan(SEGMENT), p, call);
                    assertEquals((p - 2 + s) * (ALPHA + SEGMENT * BETA) + (p - 1) * SEGMENT * GAMMA, time(scan));
                    assertEquals((p - 1L) * s, scan.messages());
                    assertEquals(s * SEGMENT, scan.combined());
                    assertEquals(inPlace || !op.isCommutative() ? ScratchSlots.PIPELINE_SLOTS * SEGMENT : 0, scan.scratch());
                    final CostSimulator exscan = CostSimulator.of(new ChainExscan(SEGMENT), p, call);
                    assertEquals((p - 2 + s) * (ALPHA + SEGMENT * BETA) + (p - 2) * SEGMENT * GAMMA, time(exscan));
                    assertEquals((p - 1L) * s, exscan.messages());
                    assertEquals(p == 2 ? 0 : s * SEGMENT, exscan.combined());
                    assertEquals(p == 2 ? 0 : ScratchSlots.PIPELINE_SLOTS * SEGMENT, exscan.scratch());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100})
    void shouldExchangeEachBlockOnceForAnyThrottle(final int throttle) {
        for (int p = 2; p <= MAX_RANKS; p++) {
            for (final Algorithm<Call.Alltoall> algorithm : List.of(new PairwiseAlltoall(throttle), new ScatteredAlltoall(throttle),
                new InterleavedAlltoall(SEGMENT, throttle))) {
                final CostSimulator clock = alltoall(algorithm, p, false);
                assertEquals((p - 1) * (ALPHA + SEGMENT * BETA), time(clock));
                assertEquals((long) p * (p - 1), clock.messages());
                assertEquals(0, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100})
    void shouldSwapBlocksInPlaceThroughAsMuchMemoryAsTheThrottle(final int throttle) {
        for (int p = 2; p <= 2 * MAX_RANKS; p++) {
            for (final Algorithm<Call.Alltoall> algorithm : List.of(new PairwiseAlltoall(throttle), new ScatteredAlltoall(throttle),
                new InterleavedAlltoall(SEGMENT, throttle))) {
                final CostSimulator clock = alltoall(algorithm, p, true);
                final double steps = clock.time(1, 0, 0);
                assertTrue(steps >= p - 1 && steps <= Math.max(p, 1.5 * (p - 1)), () -> "steps=" + steps + ", size=" + clock.size());
                assertTrue(throttle > 1 || steps <= p, () -> "steps=" + steps + ", size=" + clock.size());
                assertEquals((long) p * (p - 1), clock.messages());
                assertEquals(Math.min(throttle, p - 1) * SEGMENT, clock.scratch());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100})
    void shouldInterleaveSegmentsOfAllBlocks(final int throttle) {
        final int s = 3;
        for (int p = 2; p <= MAX_RANKS; p++) {
            final Blocks blocks = Blocks.uniform(p, s * SEGMENT);
            final CostSimulator clock = CostSimulator.of(new InterleavedAlltoall(SEGMENT, throttle), p, new Call.Alltoall(blocks, blocks, false));
            assertEquals((p - 1) * s * (ALPHA + SEGMENT * BETA), time(clock));
            assertEquals((long) p * (p - 1) * s, clock.messages());
            assertEquals(0, clock.scratch());
        }
    }

    private static CostSimulator alltoall(final Algorithm<Call.Alltoall> algorithm, final int p, final boolean inPlace) {
        final Blocks blocks = Blocks.uniform(p, SEGMENT);
        return CostSimulator.of(algorithm, p, new Call.Alltoall(blocks, blocks, inPlace));
    }

    private static CostSimulator reduceScatter(final int p, final SymbolicReduction op, final long m, final boolean inPlace) {
        return CostSimulator.of(new RingReduceScatter(SEGMENT, RingOrder.BY_RANK), p, new Call.ReduceScatter(op, Blocks.uniform(p, m), inPlace));
    }

    private static double time(final CostSimulator clock) {
        return clock.time(ALPHA, BETA, GAMMA);
    }
}
