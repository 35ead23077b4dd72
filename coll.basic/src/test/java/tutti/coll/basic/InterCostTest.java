package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CommGroups;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SymbolicReduction;

/** Tests that the algorithms between two groups cost what their Javadoc states. */
class InterCostTest {
    private static final BasicModule BASIC = new BasicModule();
    private static final int COUNT = 10;
    private static final long BYTES = 4 * COUNT;

    private static <C extends Call> CostSimulator clock(final Operation<C> operation, final CommGroups groups, final List<C> calls) {
        return CostSimulator.of(operation, BASIC, groups, calls);
    }

    /** Simulates a rooted operation: rank 0 of the first group is the root, the second group has {@code q} ranks. */
    private static <C extends Call> CostSimulator rooted(final Operation<C> operation, final int q, final int count) {
        final CommGroups groups = CommGroups.of(3, q, BASIC);
        return clock(operation, groups, CallCases.between(operation, groups, List.of(count)).getFirst());
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
        assertCost(rooted(Operation.BCAST, q, COUNT), 1 + log(q), (1 + log(q)) * COUNT, q);
        final CostSimulator reduce = rooted(Operation.REDUCE, q, COUNT);
        assertCost(reduce, 1 + log(q), (1 + log(q)) * BYTES, q);
        assertEquals(log(q) * BYTES, reduce.combined());
        assertCost(rooted(Operation.GATHER, q, COUNT), 1 + log(q), (2 * q - 1) * COUNT, q);
        assertCost(rooted(Operation.SCATTER, q, COUNT), 1 + log(q), (2 * q - 1) * COUNT, q);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void shouldSendBlocksOfSizesThatTheRootAloneKnowsDirectly(final int q) {
        final CommGroups groups = CommGroups.of(2, q, BASIC);
        final Blocks blocks = Blocks.packed(lengths(q, 7));
        final List<Call.Gather> gather = calls(groups, p -> p == 0 ? new Call.Gather(0, blocks, Call.ROOT, false)
            : p == 1 ? new Call.Gather(0, null, Call.PROC_NULL, false) : new Call.Gather(7, null, 0, false));
        assertCost(clock(Operation.GATHERV, groups, gather), q, 7 * q, q);
        final List<Call.Scatter> scatter = calls(groups, p -> p == 0 ? new Call.Scatter(blocks, 0, Call.ROOT, false)
            : p == 1 ? new Call.Scatter((Blocks) null, 0, Call.PROC_NULL, false) : new Call.Scatter((Blocks) null, 7, 0, false));
        assertCost(clock(Operation.SCATTERV, groups, scatter), q, 7 * q, q);
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
        final CostSimulator allreduce = clock(Operation.ALLREDUCE, groups, calls(groups, i -> new Call.Allreduce(op, COUNT, false)));
        assertCost(allreduce, 2 * log(p) + 1, (2 * log(p) + 1) * BYTES, 2 + 4 * (p - 1));
        assertEquals(log(p) * BYTES, allreduce.combined());

        final Blocks blocks = Blocks.uniform(p, BYTES);
        final CostSimulator block = clock(Operation.REDUCE_SCATTER_BLOCK, groups, calls(groups, i -> new Call.ReduceScatter(op, blocks, false)));
        assertCost(block, 2 * log(p) + 1, ((log(p) + 1) * p + p - 1) * BYTES, 2 + 4 * (p - 1));
        final Blocks packed = Blocks.packed(lengths(p, BYTES));
        final CostSimulator ragged = clock(Operation.REDUCE_SCATTER, groups, calls(groups, i -> new Call.ReduceScatter(op, packed, false)));
        assertCost(ragged, log(p) + p, ((log(p) + 1) * p + p - 1) * BYTES, 2 + 4 * (p - 1));

        final CostSimulator allgather = clock(Operation.ALLGATHER, groups, calls(groups, i -> new Call.Allgather(BYTES, blocks, false)));
        assertCost(allgather, 2 * log(p) + 1, (2 * p - 1 + log(p) * p) * BYTES, 2 + 4 * (p - 1));

        final CostSimulator barrier = clock(Operation.BARRIER, groups, calls(groups, i -> new Call.Barrier()));
        assertEquals(2 * log(p) + 1, barrier.time(1, 0, 0));
        assertEquals(2 + 2L * p * log(p) + 2L * (p - 1), barrier.messages());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9})
    void shouldExchangeEachBlockOnce(final int p) {
        final CommGroups groups = CommGroups.of(p, p, BASIC);
        final Blocks blocks = Blocks.uniform(p, BYTES);
        assertCost(clock(Operation.ALLTOALL, groups, calls(groups, i -> new Call.Alltoall(blocks, blocks, false))), p, p * BYTES, 2L * p * p);
        final CostSimulator allgatherv = clock(Operation.ALLGATHERV, groups, calls(groups, i -> new Call.Allgather(BYTES, blocks, false)));
        assertCost(allgatherv, p, p * BYTES, 2L * p * p);
        assertEquals(0, allgatherv.scratch());
    }
}
