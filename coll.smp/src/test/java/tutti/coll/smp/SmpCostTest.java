package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Compares the costs that the Javadoc of the algorithms for one node states with simulated costs. */
class SmpCostTest {
    private static final long ELEMENT = 4;
    private static final double ALPHA = 64;
    private static final double BETA = 2;
    private static final double GAMMA = 1;
    private static final long SEGMENT = 65536;
    private static final SymbolicReduction SUM = new SymbolicReduction(ELEMENT, false);
    private static final int FAN_IN = 4;

    private static <C extends Call> void assertTime(final double expected, final Algorithm<C> algorithm, final List<C> calls) {
        final CostSimulator clock = CostSimulator.of(algorithm, calls);
        assertEquals(expected, clock.time(ALPHA, BETA, GAMMA), () -> algorithm.getClass().getSimpleName() + " " + calls.getFirst());
        assertEquals(0, clock.messages());
    }

    private static <C extends Call> void assertTime(final double expected, final Algorithm<C> algorithm, final int size, final C call) {
        assertTime(expected, algorithm, Collections.nCopies(size, call));
    }

    private static int height(final int p) {
        return new FanInTree(p, FAN_IN).height();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 16, 17, 40})
    void shouldMoveDataInAsManyHopsAndReadsAsStated(final int p) {
        final long m = 12;
        final int h = height(p);
        assertTime(ALPHA, new FlatBarrier(), p, new Call.Barrier());
        assertTime((h + 1) * ALPHA, new GatherReleaseBarrier(FAN_IN), p, new Call.Barrier());
        assertTime((h + 1) * ALPHA + m * BETA, new DirectBcast(FAN_IN, 0), p, new Call.Bcast(m, p / 2));
        final Blocks blocks = Blocks.uniform(p, m);
        assertTime((h + 1) * ALPHA + m * BETA, new DirectScatter(FAN_IN, 0), p, new Call.Scatter(blocks, m, p / 2, false));
        assertTime(2 * ALPHA + (p - 1) * m * BETA, new DirectGather(0), p, new Call.Gather(m, blocks, p / 2, false));
        assertTime(2 * ALPHA + (p - 1) * m * BETA, new DirectAllgather(0), p, new Call.Allgather(m, blocks, false));
        assertTime((h + 2) * ALPHA + (2 * p - 1) * m * BETA, new GatherReleaseAllgather(FAN_IN, 0), p, new Call.Allgather(m, blocks, false));
        assertTime(2 * ALPHA + (p - 1) * m * BETA, new DirectAlltoall(0), p, new Call.Alltoall(blocks, blocks, false));
        assertTime(2 * ALPHA + (p - 1) * m * BETA, new DirectAlltoall(0), p, new Call.Alltoall(blocks, blocks, true));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 16, 17, 40})
    void shouldMoveShortDataWithoutHopsToReleaseIt(final int p) {
        final long m = 12;
        final long eager = AdvancedPlan.MAX_SHARED;
        final Blocks blocks = Blocks.uniform(p, m);
        assertTime(ALPHA + m * BETA, new DirectBcast(FAN_IN, eager), p, new Call.Bcast(m, p / 2));
        assertTime(ALPHA + m * BETA, new DirectScatter(FAN_IN, eager), p, new Call.Scatter(blocks, m, p / 2, false));
        assertTime(ALPHA + (p - 1) * m * BETA, new DirectGather(eager), p, new Call.Gather(m, blocks, p / 2, false));
        assertTime(ALPHA + (p - 1) * m * BETA, new DirectAllgather(eager), p, new Call.Allgather(m, blocks, false));
        assertTime(2 * ALPHA + (2 * p - 1) * m * BETA, new GatherReleaseAllgather(FAN_IN, eager), p, new Call.Allgather(m, blocks, false));
        assertTime(ALPHA + (p - 1) * m * BETA, new DirectAlltoall(eager), p, new Call.Alltoall(blocks, blocks, false));
        assertTime(ALPHA + (p - 1) * m * BETA, new DirectAlltoall(eager), p, new Call.Alltoall(blocks, blocks, true));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 16, 64})
    void shouldCombineShortDataWithoutHopsToReleaseIt(final int p) {
        final long n = 12;
        final long eager = AdvancedPlan.MAX_SHARED;
        final int h = height(p);
        final double sum = h * (ALPHA + (FAN_IN - 1) * n * (BETA + GAMMA));
        final Call.Allreduce allreduce = new Call.Allreduce(SUM, n / ELEMENT, false);
        assertTime(sum + ALPHA + n * BETA, new GatherReleaseAllreduce(FAN_IN, SEGMENT, eager), p, allreduce);
        assertTime(sum, new GatherReleaseReduce(FAN_IN, SEGMENT, eager), p, new Call.Reduce(SUM, n / ELEMENT, p - 1, false));
        final Call.ReduceScatter reduceScatter = new Call.ReduceScatter(SUM, Blocks.uniform(p, n), false);
        assertEquals(1, CostSimulator.of(new DirectReduceScatter(SEGMENT, eager), p, reduceScatter).time(1, 0, 0));
        assertEquals(h + 1, CostSimulator.of(new GatherReleaseReduceScatter(FAN_IN, SEGMENT, eager), p, reduceScatter).time(1, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 16, 17, 40})
    void shouldShareTheWorkOfCombining(final int p) {
        final long m = 12;
        final long bytes = (p - 1) * m;
        final Call.Allreduce allreduce = new Call.Allreduce(SUM, p * m / ELEMENT, false);
        assertCost(2, p * bytes, p * bytes, new DirectAllreduce(SEGMENT), p, allreduce);
        assertCost(3, 2 * bytes, bytes, new BlocksAllreduce(SEGMENT), p, allreduce);
        final Call.ReduceScatter reduceScatter = new Call.ReduceScatter(SUM, Blocks.uniform(p, m), false);
        assertCost(2, bytes, bytes, new DirectReduceScatter(SEGMENT, 0), p, reduceScatter);
        assertCost(3, 2 * bytes, bytes, new BlocksReduce(SEGMENT), p, new Call.Reduce(SUM, p * m / ELEMENT, 0, false));
    }

    /** Asserts costs apart from each other. Where combining overlaps with reading, the total time is less than their sum. */
    private static <C extends Call> void assertCost(final int hops, final long read, final long combined, final Algorithm<C> algorithm,
        final int size, final C call) {
        final CostSimulator clock = CostSimulator.of(algorithm, size, call);
        assertEquals(hops, clock.time(1, 0, 0));
        assertEquals(read, clock.time(0, 1, 0));
        assertEquals(combined, clock.combined());
        assertEquals(0, clock.messages());
        assertTrue(clock.time(ALPHA, BETA, GAMMA) <= hops * ALPHA + read * BETA + combined * GAMMA);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 16, 64})
    void shouldCombineAlongTheTree(final int p) {
        final long n = 12;
        final int h = height(p);
        final double sum = h * (ALPHA + (FAN_IN - 1) * n * (BETA + GAMMA));
        final Call.Allreduce allreduce = new Call.Allreduce(SUM, n / ELEMENT, false);
        assertTime(sum + (h + 1) * ALPHA + n * BETA, new GatherReleaseAllreduce(FAN_IN, SEGMENT, 0), p, allreduce);
        assertTime(sum + ALPHA, new GatherReleaseReduce(FAN_IN, SEGMENT, 0), p, new Call.Reduce(SUM, n / ELEMENT, p - 1, false));
        final long[] lengths = new long[p];
        Arrays.fill(lengths, 4);
        assertTime(h * (ALPHA + (FAN_IN - 1) * p * 4 * (BETA + GAMMA)) + (h + 1) * ALPHA + 4 * BETA,
            new GatherReleaseReduceScatter(FAN_IN, SEGMENT, 0), p, new Call.ReduceScatter(SUM, Blocks.packed(lengths), false));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 16, 64})
    void shouldScanInAsManyHopsAsTwoDividesTheRanks(final int p) {
        final long n = 12;
        final int k = Integer.numberOfTrailingZeros(p);
        assertTime((k + 1) * ALPHA + k * n * (BETA + GAMMA), new FenwickScan(false), p, new Call.Scan(SUM, n / ELEMENT, false));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 16})
    void shouldNeedScratchMemoryForSegmentsOnlyUnlessInPlace(final int p) {
        final long n = 64 * p;
        final long temps = CanonicalReduction.temps(p) * 16L;
        final long elements = n / ELEMENT;
        assertEquals(temps, CostSimulator.of(new DirectAllreduce(16), p, new Call.Allreduce(SUM, elements, false)).scratch());
        assertEquals(temps + n, CostSimulator.of(new DirectAllreduce(16), p, new Call.Allreduce(SUM, elements, true)).scratch());
        assertEquals(temps, CostSimulator.of(new BlocksAllreduce(16), p, new Call.Allreduce(SUM, elements, false)).scratch());
        assertEquals(temps + n / p, CostSimulator.of(new BlocksAllreduce(16), p, new Call.Allreduce(SUM, elements, true)).scratch());
    }
}
