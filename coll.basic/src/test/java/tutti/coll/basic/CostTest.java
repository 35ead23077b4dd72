package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.patterns.DisseminationBarrier;
import tutti.coll.patterns.LinearGatherv;
import tutti.coll.patterns.LinearScatterv;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Tests that the algorithms cost what their Javadoc states. */
class CostTest {
    private static final int FEW_RANKS = 9;
    private static final int MOST_RANKS = 33;
    private static final long COUNT = 10;
    private static final long BYTES = 4 * COUNT;
    private static final SymbolicReduction ORDERED = new SymbolicReduction(4, false);
    private static final SymbolicReduction COMMUTING = new SymbolicReduction(4, true);

    @Test
    void shouldBroadcastInLogRounds() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialBcast(), p, new Call.Bcast(BYTES, root));
            assertCost(clock, log(p), log(p) * BYTES, p - 1);
            assertEquals(0, clock.scratch());
        });
    }

    @Test
    void shouldGatherInLogRounds() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialGather(), p, new Call.Gather(BYTES, Blocks.uniform(p, BYTES), root, false));
            assertRootedBlocks(clock, p, root);
            assertEquals((p - 1) * BYTES, clock.time(0, 1, 0));
        });
    }

    @Test
    void shouldScatterInLogRounds() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialScatter(), p, new Call.Scatter(Blocks.uniform(p, BYTES), BYTES, root, false));
            assertRootedBlocks(clock, p, root);
        });
    }

    private static void assertRootedBlocks(final CostSimulator clock, final int p, final int root) {
        final double alphas = clock.time(1, 0, 0);
        final long messages = clock.messages();
        assertTrue(alphas >= log(p) && alphas <= log(p) + 1, () -> "alphas=" + alphas + ", size=" + p + ", root=" + root);
        final double bytes = clock.time(0, 1, 0) - (p - 1) * BYTES;
        assertTrue(bytes >= 0 && bytes <= (p / 8) * BYTES, () -> "more bytes=" + bytes + ", size=" + p + ", root=" + root);
        assertTrue(messages == p - 1 || messages == p && root > 0, () -> "messages=" + messages + ", size=" + p + ", root=" + root);
        assertTrue(clock.scratch() <= (1L << log(p)) / 2 * BYTES);
        if (root == 0) {
            assertEquals(log(p), alphas);
            assertEquals(0, bytes);
        }
    }

    @Test
    void shouldReduceInLogRounds() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialReduce(), p, new Call.Reduce(COMMUTING, COUNT, root, false));
            assertCost(clock, log(p), log(p) * BYTES, p - 1);
            assertEquals(log(p) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= 2 * BYTES);
        });
    }

    @Test
    void shouldReduceInOrderInOneRoundMoreAtMost() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialReduce(), p, new Call.Reduce(ORDERED, COUNT, root, false));
            final double alphas = clock.time(1, 0, 0);
            assertTrue(alphas <= log(p) + (root == 0 ? 0 : 1), () -> "alphas=" + alphas + ", size=" + p + ", root=" + root);
            assertEquals(alphas * BYTES, clock.time(0, 1, 0));
            assertEquals(p - 1, clock.messages());
            assertTrue(clock.combined() <= (log(p) + (root == 0 ? 0 : 1)) * BYTES);
            assertTrue(clock.scratch() <= 2 * BYTES);
        });
    }

    @Test
    void shouldReduceScatterInTwiceLogRounds() {
        forSizes(p -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            final CostSimulator clock = CostSimulator.of(new BinomialReduceScatter(), p, new Call.ReduceScatter(ORDERED, blocks, false));
            assertCost(clock, 2 * log(p), (log(p) * p + p - 1) * BYTES, 2 * (p - 1));
            assertEquals(log(p) * p * BYTES, clock.combined());
            assertTrue(clock.scratch() <= (2 * p + (1L << log(p)) / 2) * BYTES);
        });
    }

    @Test
    void shouldAllreduceInLogRounds() {
        forSizes(p -> {
            final CostSimulator clock = CostSimulator.of(new RecursiveDoublingAllreduce(), p, new Call.Allreduce(ORDERED, COUNT, false));
            final int q = Integer.highestOneBit(p);
            final int rounds = log(q);
            assertCost(clock, p == q ? rounds : rounds + 2, (p == q ? rounds : rounds + 2) * BYTES, (long) q * rounds + 2 * (p - q));
            assertEquals((p == q ? rounds : rounds + 1) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= BYTES);
            assertTrue(CostSimulator.of(new RecursiveDoublingAllreduce(), p, new Call.Allreduce(ORDERED, COUNT, true)).scratch() <= 2 * BYTES);
        });
    }

    @Test
    void shouldScanInLogRounds() {
        forSizes(p -> {
            final CostSimulator clock = CostSimulator.of(new DistanceDoublingScan(), p, new Call.Scan(ORDERED, COUNT, false));
            assertCost(clock, log(p), log(p) * BYTES, scanMessages(p));
            assertEquals(log(p) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= BYTES);
        });
    }

    @Test
    void shouldExscanInLogRounds() {
        for (final boolean inPlace : new boolean[] {false, true}) {
            forSizes(p -> {
                final CostSimulator clock = CostSimulator.of(new DistanceDoublingExscan(), p, new Call.Scan(ORDERED, COUNT, inPlace));
                assertCost(clock, log(p), log(p) * BYTES, scanMessages(p));
                assertTrue(clock.combined() <= Math.max(0, 2 * log(p) - 2) * BYTES);
                assertTrue(clock.scratch() <= 2 * BYTES);
            });
        }
    }

    @Test
    void shouldReduceToRankZeroAndPassOnInOneRoundMoreAtMost() {
        forSizesAndRoots((p, root) -> {
            final CostSimulator clock = CostSimulator.of(new BinomialReduceViaFirst(), p, new Call.Reduce(COMMUTING, COUNT, root, false));
            final int more = root == 0 ? 0 : 1;
            assertCost(clock, log(p) + more, (log(p) + more) * BYTES, p - 1 + more);
            assertEquals(log(p) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= 2 * BYTES);
        });
    }

    @Test
    void shouldReduceAndBroadcastInTwiceLogRounds() {
        forSizes(p -> {
            final CostSimulator clock = CostSimulator.of(new ReduceBcastAllreduce(), p, new Call.Allreduce(ORDERED, COUNT, false));
            assertCost(clock, 2 * log(p), 2 * log(p) * BYTES, 2 * (p - 1));
            assertEquals(log(p) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= 2 * BYTES);
        });
    }

    @Test
    void shouldReduceScatterDirectlyWithEachBlockSentOnce() {
        forSizes(p -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            final CostSimulator clock = CostSimulator.of(new DirectReduceScatter(), p, new Call.ReduceScatter(ORDERED, blocks, false));
            assertCost(clock, p - 1, (p - 1) * BYTES, (long) p * (p - 1));
            assertEquals((p - 1) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= p * BYTES);
        });
    }

    @Test
    void shouldAllreduceDirectlyWithEachBlockSentTwice() {
        forSizes(p -> {
            final CostSimulator clock = CostSimulator.of(new DirectAllreduce(), p, new Call.Allreduce(ORDERED, COUNT * p, false));
            assertCost(clock, 2 * (p - 1), 2 * (p - 1) * BYTES, 2L * p * (p - 1));
            assertEquals((p - 1) * BYTES, clock.combined());
            assertTrue(clock.scratch() <= (p + 1) * BYTES);
        });
    }

    @Test
    void shouldScanByExchangeInLogRounds() {
        for (final boolean exclusive : new boolean[] {false, true}) {
            for (final boolean inPlace : new boolean[] {false, true}) {
                forSizes(p -> {
                    final CostSimulator clock = CostSimulator.of(new RecursiveDoublingScan(exclusive), p, new Call.Scan(ORDERED, COUNT, inPlace));
                    assertEquals(log(p), clock.time(1, 0, 0), () -> "alphas, size=" + p);
                    assertEquals(log(p) * BYTES, clock.time(0, 1, 0), () -> "bytes, size=" + p);
                    assertTrue(clock.messages() <= (long) p * log(p) - p + 1, () -> "messages=" + clock.messages() + ", size=" + p);
                    assertTrue(clock.combined() <= 2 * log(p) * BYTES, () -> "combined, size=" + p);
                    assertTrue(clock.scratch() <= 2 * BYTES, () -> "scratch=" + clock.scratch() + ", size=" + p);
                });
            }
        }
    }

    private static long scanMessages(final int p) {
        return (long) p * log(p) - (1L << log(p)) + 1;
    }

    @Test
    void shouldPassABarrierInLogRounds() {
        forSizes(p -> assertCost(CostSimulator.of(new DisseminationBarrier(2), p, new Call.Barrier()), log(p), 0, (long) p * log(p)));
    }

    @Test
    void shouldAllgatherInLogRounds() {
        forSizes(p -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            final CostSimulator clock = CostSimulator.of(new BruckAllgather(), p, new Call.Allgather(BYTES, blocks, false));
            final double alphas = clock.time(1, 0, 0);
            assertTrue(alphas >= log(p) && alphas <= Math.max(log(p), 2 * log(p) - 1), () -> "alphas=" + alphas + ", size=" + p);
            assertEquals((p - 1) * BYTES, clock.time(0, 1, 0));
            assertEquals((p - 1) * (log(p) + 1), clock.messages());
            assertEquals(0, clock.scratch());
        });
    }

    @Test
    void shouldAllgathervAroundTheRing() {
        forSizes(p -> {
            final Blocks blocks = Blocks.packed(IntStream.range(0, p).mapToLong(i -> BYTES).toArray());
            final CostSimulator clock = CostSimulator.of(new RingAllgatherv(), p, new Call.Allgather(BYTES, blocks, false));
            assertCost(clock, p - 1, (p - 1) * BYTES, (long) p * (p - 1));
            assertEquals(0, clock.scratch());
        });
    }

    @Test
    void shouldMoveBlocksOfTheVFormsOnce() {
        forSizesAndRoots((p, root) -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            assertCost(CostSimulator.of(new LinearGatherv(), p, new Call.Gather(BYTES, blocks, root, false)), p - 1, (p - 1) * BYTES, p - 1);
            assertCost(CostSimulator.of(new LinearScatterv(), p, new Call.Scatter(blocks, BYTES, root, false)), p - 1, (p - 1) * BYTES, p - 1);
        });
    }

    @Test
    void shouldExchangeEachBlockOnce() {
        forSizes(p -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            final CostSimulator clock = CostSimulator.of(new LinearAlltoall(), p, new Call.Alltoall(blocks, blocks, false));
            assertCost(clock, p - 1, (p - 1) * BYTES, (long) p * (p - 1));
            assertEquals(0, clock.scratch());
        });
    }

    @Test
    void shouldSwapBlocksInPlaceThroughLittleMemory() {
        forSizes(p -> {
            final Blocks blocks = Blocks.uniform(p, BYTES);
            final CostSimulator clock = CostSimulator.of(new LinearAlltoall(), p, new Call.Alltoall(blocks, blocks, true));
            final double alphas = clock.time(1, 0, 0);
            assertTrue(alphas >= p - 1 && alphas <= 1.5 * (p - 1), () -> "alphas=" + alphas + ", size=" + p);
            assertEquals((long) p * (p - 1), clock.messages());
            assertTrue(clock.scratch() <= LinearAlltoall.SLOTS * BYTES);
        });
    }

    @Test
    void shouldSendAMessageForEachEdgeBetweenTwoRanks() {
        forSizes(p -> {
            final List<Neighbors> ring = IntStream.range(0, p)
                .mapToObj(r -> Neighbors.of(new int[] {(r + 1) % p, (r + p - 1) % p}, new int[] {(r + p - 1) % p, (r + 1) % p})).toList();
            final Blocks blocks = Blocks.uniform(2, BYTES);
            final int rounds = p == 1 ? 0 : 2;
            assertCost(CostSimulator.of(new LinearNeighborAlltoall(), ring.stream().map(n -> new Call.NeighborAlltoall(n, blocks, blocks)).toList()),
                rounds, rounds * BYTES, (long) rounds * p);
            assertCost(CostSimulator.of(new LinearNeighborAllgather(), ring.stream().map(n -> new Call.NeighborAllgather(n, BYTES, blocks)).toList()),
                rounds, rounds * BYTES, (long) rounds * p);
        });
    }

    private static void assertCost(final CostSimulator clock, final int alphas, final long bytes, final long messages) {
        assertEquals(alphas, clock.time(1, 0, 0), () -> "alphas, size=" + clock.size());
        assertEquals(bytes, clock.time(0, 1, 0), () -> "bytes, size=" + clock.size());
        assertEquals(messages, clock.messages(), () -> "messages, size=" + clock.size());
    }

    private static void forSizes(final IntConsumer check) {
        IntStream.rangeClosed(1, MOST_RANKS).forEach(check);
    }

    /** Runs a check with every root for up to 9 ranks, with some roots for more. */
    private static void forSizesAndRoots(final BiConsumer<Integer, Integer> check) {
        forSizes(p -> IntStream.range(0, p).filter(root -> p <= FEW_RANKS || root % (p / 3) == 0 || root == p - 1)
            .forEach(root -> check.accept(p, root)));
    }

    private static int log(final int p) {
        return Binomial.log2(p);
    }
}
