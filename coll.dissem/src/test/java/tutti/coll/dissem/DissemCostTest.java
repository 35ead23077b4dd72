package tutti.coll.dissem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.patterns.DisseminationBarrier;
import tutti.coll.tck.CostSimulator;

/** Tests that the algorithms cost what their Javadoc states. */
class DissemCostTest {
    private static final int MAX_RANKS = 33;
    private static final long N = 40;
    private static final double ALPHA = 64;
    private static final double BETA = 2;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8, 64})
    void shouldPassABarrierInOneMessagePerStep(final int k) {
        for (int p = 1; p <= MAX_RANKS; p++) {
            final CostSimulator clock = CostSimulator.of(new DisseminationBarrier(k), p, new Call.Barrier());
            assertEquals(alphas(p, k) * ALPHA, clock.time(ALPHA, BETA, 0), "size=" + p);
            assertEquals(p * alphas(p, k), clock.messages());
            assertEquals(0, clock.scratch());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8, 64})
    void shouldAllgatherWithEveryByteReceivedOnce(final int k) {
        for (int p = 1; p <= MAX_RANKS; p++) {
            final CostSimulator clock = CostSimulator.of(new BruckAllgather(k), p, new Call.Allgather(N, Blocks.uniform(p, N), false));
            assertEquals(alphas(p, k) * ALPHA + (p - 1) * N * BETA, clock.time(ALPHA, BETA, 0), "size=" + p);
            assertEquals(p * alphas(p, k), clock.messages());
            assertTrue(clock.scratch() <= 2 * highest(p - 1, k) * N, () -> "scratch=" + clock.scratch() + ", size=" + clock.size());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 64})
    void shouldNotNeedMoreScratchThanAllBlocksForAnyDisplacements(final int k) {
        for (int p = 1; p <= MAX_RANKS; p++) {
            final long[] lengths = new long[p];
            Arrays.fill(lengths, N);
            final Blocks gaps = Blocks.of(lengths, IntStream.range(0, p).mapToLong(i -> i * (N + 1)).toArray());
            final CostSimulator clock = CostSimulator.of(new BruckAllgather(k), p, new Call.Allgather(N, gaps, false));
            assertEquals(alphas(p, k) * ALPHA + (p - 1) * N * BETA, clock.time(ALPHA, BETA, 0), "size=" + p);
            assertTrue(clock.scratch() <= p * N, () -> "scratch=" + clock.scratch() + ", size=" + clock.size());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8, 64})
    void shouldMoveEachBlockOncePerNonzeroDigitOfItsDistance(final int k) {
        for (int p = 1; p <= MAX_RANKS; p++) {
            final int digits = IntStream.range(0, p).map(i -> digitsOtherThanZero(i, k)).sum();
            for (final boolean inPlace : new boolean[] {false, true}) {
                final Blocks blocks = Blocks.uniform(p, N);
                final CostSimulator clock = CostSimulator.of(new BruckAlltoall(k), p, new Call.Alltoall(blocks, blocks, inPlace));
                assertEquals(alphas(p, k) * ALPHA + digits * N * BETA, clock.time(ALPHA, BETA, 0), "size=" + p);
                assertEquals(p * alphas(p, k), clock.messages());
                final long limit = ((inPlace ? p : 0) + (k == 2 ? p : 2L * p)) * N;
                assertTrue(clock.scratch() <= limit, () -> "scratch=" + clock.scratch() + ", limit=" + limit + ", size=" + clock.size());
            }
        }
    }

    /** A plan has about one copy per block at the start, and two copies of adjacent blocks per digit. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 16})
    void shouldKeepPlansShort(final int k) {
        final Blocks blocks = Blocks.uniform(256, N);
        final int tasks = CostSimulator.of(new BruckAlltoall(k), 256, new Call.Alltoall(blocks, blocks, false)).tasks();
        assertTrue(tasks <= 3 * 256 + 4 * alphas(256, k), () -> "tasks=" + tasks);
    }

    /** Returns the number of messages that a rank sends. */
    private static long alphas(final int p, final int k) {
        long power = 1;
        int q = 0;
        while (power * k <= p) {
            power *= k;
            q++;
        }
        return q * (k - 1L) + Math.ceilDiv(p - power, power);
    }

    /** Returns the highest power of k that is not above n; 1 for n = 0. */
    private static long highest(final int n, final int k) {
        long power = 1;
        while (power * k <= n) {
            power *= k;
        }
        return power;
    }

    private static int digitsOtherThanZero(final int n, final int k) {
        int digits = 0;
        for (int rest = n; rest > 0; rest /= k) {
            digits += rest % k == 0 ? 0 : 1;
        }
        return digits;
    }
}
