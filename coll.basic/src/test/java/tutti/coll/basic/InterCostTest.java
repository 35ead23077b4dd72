package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CommGroups;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.SymbolicReduction;
import tutti.coll.tck.VirtualModule;

/** Tests that the algorithms between two groups cost what their Javadoc states. */
class InterCostTest {
    private static final BasicModule BASIC = new BasicModule();
    private static final int COUNT = 10;
    private static final long BYTES = 4 * COUNT;

    private static <C extends Call> CostSimulator clock(final Operation<C> operation, final String algorithm, final int first, final List<C> calls) {
        return CostSimulator.of(operation, VirtualModule.between(BASIC, BASIC, first, NodeLayout.oneNode(calls.size())), algorithm, calls);
    }

    /** Simulates a rooted operation: rank 0 of the first group of 3 ranks is the root, the second group has {@code q} ranks. */
    private static <C extends Call> CostSimulator rooted(final Operation<C> operation, final String algorithm, final int q, final int count) {
        return clock(operation, algorithm, 3, CallCases.between(operation, CommGroups.of(3, q, BASIC), List.of(count)).getFirst());
    }

    private static void assertCost(final CostSimulator clock, final double alphas, final double bytes, final long messages) {
        assertEquals(alphas, clock.time(1, 0, 0), "alphas");
        assertEquals(bytes, clock.time(0, 1, 0), "bytes");
        assertEquals(messages, clock.messages(), "messages");
    }

    private static int log(final int p) {
        return Binomial.log2(p);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9, 16, 17})
    void shouldCrossOnceInRootedOperations(final int q) {
        assertCost(rooted(Operation.BCAST, "leaders", q, COUNT), 1 + log(q), (1 + log(q)) * COUNT, q);
        final CostSimulator reduce = rooted(Operation.REDUCE, "leaders", q, COUNT);
        assertCost(reduce, 1 + log(q), (1 + log(q)) * BYTES, q);
        assertEquals(log(q) * BYTES, reduce.combined());
        assertCost(rooted(Operation.GATHER, "leaders", q, COUNT), 1 + log(q), (2 * q - 1) * COUNT, q);
        assertCost(rooted(Operation.SCATTER, "leaders", q, COUNT), 1 + log(q), (2 * q - 1) * COUNT, q);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void shouldSendBlocksOfSizesThatTheRootAloneKnowsDirectly(final int q) {
        final CommGroups groups = CommGroups.of(2, q, BASIC);
        final Blocks blocks = Blocks.packed(lengths(q, 7));
        final List<Call.Gather> gather = calls(groups, p -> p == 0 ? new Call.Gather(0, blocks, Call.ROOT, false)
            : p == 1 ? new Call.Gather(0, null, Call.PROC_NULL, false) : new Call.Gather(7, null, 0, false));
        assertCost(clock(Operation.GATHERV, "direct", 2, gather), q, 7 * q, q);
        final List<Call.Scatter> scatter = calls(groups, p -> p == 0 ? new Call.Scatter(blocks, 0, Call.ROOT, false)
            : p == 1 ? new Call.Scatter((Blocks) null, 0, Call.PROC_NULL, false) : new Call.Scatter((Blocks) null, 7, 0, false));
        assertCost(clock(Operation.SCATTERV, "direct", 2, scatter), q, 7 * q, q);
    }

    private static long[] lengths(final int q, final long each) {
        final long[] lengths = new long[q];
        Arrays.fill(lengths, each);
        return lengths;
    }

    private static <C extends Call> List<C> calls(final CommGroups groups, final IntFunction<C> call) {
        return IntStream.range(0, groups.first() + groups.second()).mapToObj(call).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9, 16})
    void shouldCrossOnceInEachDirectionWhereAllTakePart(final int p) {
        final CommGroups groups = CommGroups.of(p, p, BASIC);
        final SymbolicReduction op = new SymbolicReduction(4, false);
        final CostSimulator allreduce = clock(Operation.ALLREDUCE, "leaders", p, calls(groups, i -> new Call.Allreduce(op, COUNT, false)));
        assertCost(allreduce, 2 * log(p) + 1, (2 * log(p) + 1) * BYTES, 2 + 4 * (p - 1));
        assertEquals(log(p) * BYTES, allreduce.combined());

        final Blocks blocks = Blocks.uniform(p, BYTES);
        final CostSimulator block =
            clock(Operation.REDUCE_SCATTER_BLOCK, "leaders", p, calls(groups, i -> new Call.ReduceScatter(op, blocks, false)));
        assertCost(block, 2 * log(p) + 1, ((log(p) + 1) * p + p - 1) * BYTES, 2 + 4 * (p - 1));
        final Blocks packed = Blocks.packed(lengths(p, BYTES));
        final CostSimulator ragged = clock(Operation.REDUCE_SCATTER, "leaders", p, calls(groups, i -> new Call.ReduceScatter(op, packed, false)));
        assertCost(ragged, log(p) + p, ((log(p) + 1) * p + p - 1) * BYTES, 2 + 4 * (p - 1));

        final CostSimulator allgather = clock(Operation.ALLGATHER, "leaders", p, calls(groups, i -> new Call.Allgather(BYTES, blocks, false)));
        assertCost(allgather, 2 * log(p) + 1, (2 * p - 1 + log(p) * p) * BYTES, 2 + 4 * (p - 1));

        final CostSimulator barrier = clock(Operation.BARRIER, "leaders", p, calls(groups, i -> new Call.Barrier()));
        assertEquals(2 * log(p) + 1, barrier.time(1, 0, 0));
        assertEquals(2 + 2L * p * log(p) + 2L * (p - 1), barrier.messages());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9})
    void shouldExchangeEachBlockOnce(final int p) {
        final CommGroups groups = CommGroups.of(p, p, BASIC);
        final Blocks blocks = Blocks.uniform(p, BYTES);
        assertCost(clock(Operation.ALLTOALL, "direct", p, calls(groups, i -> new Call.Alltoall(blocks, blocks, false))), p, p * BYTES, 2L * p * p);
        final CostSimulator allgatherv = clock(Operation.ALLGATHERV, "direct", p, calls(groups, i -> new Call.Allgather(BYTES, blocks, false)));
        assertCost(allgatherv, p, p * BYTES, 2L * p * p);
        assertEquals(0, allgatherv.scratch());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8, 16})
    void shouldSendEachLongBlockToTheRootOrFromItOnce(final int q) {
        assertCost(rooted(Operation.GATHER, "direct", q, COUNT), q, q * COUNT, q);
        assertCost(rooted(Operation.SCATTER, "direct", q, COUNT), q, q * COUNT, q);
    }

    private static int gcd(final int a, final int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    @Tag("nightly")
    @Test
    void shouldLetEveryRankTalkToAPartner() {
        final SymbolicReduction op = new SymbolicReduction(4, false);
        for (int larger = 1; larger <= 17; larger++) {
            for (int smaller = 1; smaller <= larger; smaller++) {
                final CommGroups groups = CommGroups.of(larger, smaller, BASIC);
                final CostSimulator barrier = clock(Operation.BARRIER, "pairs", larger, calls(groups, i -> new Call.Barrier()));
                final int turns = Math.ceilDiv(larger, smaller);
                assertTrue(barrier.time(1, 0, 0) <= log(larger) + turns, "alphas");
                assertEquals((long) larger * log(larger) + (long) smaller * log(smaller) + larger + smaller, barrier.messages());
                final CostSimulator allreduce = clock(Operation.ALLREDUCE, "pairs", larger, calls(groups, i -> new Call.Allreduce(op, COUNT, false)));
                assertTrue(allreduce.time(1, 0, 0) <= log(larger) + 2 + turns, "alphas");
                assertTrue(allreduce.time(0, 1, 0) <= (log(larger) + 2 + turns) * BYTES, "bytes");
                if (larger == smaller && Integer.bitCount(larger) == 1) {
                    assertCost(allreduce, log(larger) + 1, (log(larger) + 1) * BYTES, 2L * larger * log(larger) + 2L * larger);
                    assertEquals(log(larger) + 1, barrier.time(1, 0, 0));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 3", "4, 4", "8, 8", "4, 2", "3, 2", "5, 4", "8, 5"})
    void shouldShareTheWorkOfLongData(final int p, final int q) {
        final SymbolicReduction op = new SymbolicReduction(4, false);
        final long n = 4L * 3 * 5 * 8 * 7;
        final CommGroups groups = CommGroups.of(p, q, BASIC);
        final CostSimulator reduceScatter =
            CostSimulator.of(new BinomialReduceScatter(), p, new Call.ReduceScatter(op, Blocks.uniform(p, n / p), false));
        final CostSimulator allgather = CostSimulator.of(new BruckAllgather(), p, new Call.Allgather(n / p, Blocks.uniform(p, n / p), true));
        final long between = p + q - gcd(p, q);
        final CostSimulator allreduce = clock(Operation.ALLREDUCE, "slices", p, calls(groups, i -> new Call.Allreduce(op, n / 4, false)));
        final CostSimulator block = clock(Operation.REDUCE_SCATTER_BLOCK, "slices", p,
            calls(groups, i -> new Call.ReduceScatter(op, Blocks.uniform(i < p ? p : q, n / (i < p ? p : q)), false)));
        final CostSimulator ofSecond = CostSimulator.of(new BinomialReduceScatter(), q, new Call.ReduceScatter(op, Blocks.uniform(q, n / q), false));
        assertEquals(2 * between + reduceScatter.messages() + ofSecond.messages(), block.messages());
        final CostSimulator reduce = rooted(Operation.REDUCE, "slices", p, (int) n / 4);
        assertEquals(p + reduceScatter.messages(), reduce.messages());
        assertTrue(reduce.time(0, 1, 0) <= reduceScatter.time(0, 1, 0) + n, "bytes");
        final CostSimulator bcast = rooted(Operation.BCAST, "slices", p, (int) n);
        assertEquals(p + allgather.messages(), bcast.messages());
        assertTrue(bcast.time(1, 0, 0) <= p + Math.max(0, 2 * log(p) - 1), "alphas");
        assertTrue(bcast.time(0, 1, 0) < 3 * n, "bytes");
        if (p == q) {
            assertEquals(2 * (p + reduceScatter.messages() + allgather.messages()), allreduce.messages());
            assertTrue(allreduce.time(1, 0, 0) <= reduceScatter.time(1, 0, 0) + 1 + allgather.time(1, 0, 0), "alphas");
            assertTrue(allreduce.time(0, 1, 0) <= reduceScatter.time(0, 1, 0) + n / p + allgather.time(0, 1, 0), "bytes");
            assertEquals(reduceScatter.combined(), allreduce.combined());
            assertEquals(reduceScatter.time(1, 0, 0) + 1, block.time(1, 0, 0), "alphas");
            assertEquals(reduceScatter.time(0, 1, 0) + n / p, block.time(0, 1, 0), "bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 16})
    void shouldGatherBlocksWithoutALeader(final int p) {
        final CommGroups groups = CommGroups.of(p, p, BASIC);
        final CostSimulator inGroup = CostSimulator.of(new BruckAllgather(), p, new Call.Allgather(BYTES, Blocks.uniform(p, BYTES), true));
        final CostSimulator allgather = clock(Operation.ALLGATHER, "slices", p,
            calls(groups, i -> new Call.Allgather(BYTES, Blocks.uniform(p, BYTES), false)));
        assertCost(allgather, 1 + inGroup.time(1, 0, 0), p * BYTES, 2 * (p + inGroup.messages()));
        assertEquals(0, allgather.scratch());
    }
}
