package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.SymbolicReduction;
import tutti.coll.tck.VirtualModule;

/**
 * Compares the costs over k nodes of q ranks that the Javadoc of the algorithms and the README state with simulated costs. Messages are exchanged
 * only between nodes.
 */
class HierarchicalCostTest {
    private static final long ELEMENT = 4;
    private static final long M = 12;
    private static final double ALPHA = 64;
    private static final double BETA = 2;
    private static final SymbolicReduction SUM = new SymbolicReduction(ELEMENT, true);
    private static final Map<String, String> LONG_BLOCKS = Map.of("coll.smp.pack", "0");

    /**
     * Nodes of one size.
     *
     * @param k      number of nodes
     * @param q      ranks on each node
     * @param layout the node of each rank
     */
    record Shape(int k, int q, NodeLayout layout) {
        int p() {
            return k * q;
        }

        VirtualModule set(final Map<String, String> parameters) {
            return VirtualModule.of(new SmpModule(), new BasicModule(), layout, parameters);
        }

        <C extends Call> CostSimulator cost(final Operation<C> operation, final Map<String, String> parameters, final List<C> calls) {
            return CostSimulator.of(operation, set(parameters), HierarchicalTable.NAME, calls);
        }

        <C extends Call> CostSimulator cost(final Operation<C> operation, final C call) {
            return cost(operation, Map.of(), Collections.nCopies(p(), call));
        }

        /** Returns the cost of the leaders' part alone. */
        <C extends Call> CostSimulator amongLeaders(final Operation<C> operation, final C call) {
            final VirtualModule leaders = VirtualModule.of(new BasicModule(), new BasicModule(), NodeLayout.onePerNode(k));
            return CostSimulator.of(operation, leaders, leaders.offers(operation).getFirst(), Collections.nCopies(k, call));
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(new int[] {2, 2}, new int[] {2, 5}, new int[] {3, 4}, new int[] {5, 4})
            .flatMap(s -> Stream.of(new Shape(s[0], s[1], NodeLayout.blocks(s[0] * s[1], s[0])),
                new Shape(s[0], s[1], NodeLayout.interleaved(s[0] * s[1], s[0]))));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldSendOneMessageToOrFromEachOtherNode(final Shape s) {
        final int otherNodes = s.k() - 1;
        final Blocks blocks = Blocks.uniform(s.p(), M);
        for (final int root : new int[] {0, s.p() - 1}) {
            final List<Call.Gather> gather = Collections.nCopies(s.p(), new Call.Gather(M, blocks, root, false));
            final List<Call.Scatter> scatter = Collections.nCopies(s.p(), new Call.Scatter(blocks, M, root, false));
            assertMessages(otherNodes, otherNodes * s.q() * M, s.cost(Operation.GATHER, Map.of(), gather));
            assertMessages(otherNodes * s.q(), otherNodes * s.q() * M, s.cost(Operation.GATHER, LONG_BLOCKS, gather));
            assertMessages(otherNodes, otherNodes * s.q() * M, s.cost(Operation.SCATTER, Map.of(), scatter));
            assertMessages(otherNodes * s.q(), otherNodes * s.q() * M, s.cost(Operation.SCATTER, LONG_BLOCKS, scatter));
            assertMessages(otherNodes * s.q(), otherNodes * s.q() * M, s.cost(Operation.GATHERV, Map.of(),
                IntStream.range(0, s.p()).mapToObj(r -> new Call.Gather(M, r == root ? blocks : null, root, false)).toList()));
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldSendOneMessageBetweenTwoNodesInAlltoall(final Shape s) {
        final Blocks blocks = Blocks.uniform(s.p(), M);
        final long pairs = (long) s.k() * (s.k() - 1);
        final long bytes = pairs * s.q() * s.q() * M;
        for (final boolean inPlace : new boolean[] {false, true}) {
            final List<Call.Alltoall> calls = Collections.nCopies(s.p(), new Call.Alltoall(blocks, blocks, inPlace));
            final CostSimulator packed = s.cost(Operation.ALLTOALL, Map.of(), calls);
            assertMessages(pairs, bytes, packed);
            final int q = s.q();
            final double expected = 4 * ALPHA + ((q - 1) * (q + 1) + q * q + (s.k() - 1) * q) * M * BETA;
            final double time = packed.time(ALPHA, BETA, 0);
            assertTrue(s.k() == 2 ? time == expected : time <= expected, () -> s + " stated=" + expected + " time=" + time);
            assertEquals(2 * q * q * M + (inPlace ? s.p() * M : 0), packed.scratch());
            assertMessages(pairs * q * q, bytes, s.cost(Operation.ALLTOALL, LONG_BLOCKS, calls));
        }
        assertEquals(0, s.cost(Operation.ALLTOALL, LONG_BLOCKS, Collections.nCopies(s.p(), new Call.Alltoall(blocks, blocks, false))).scratch());
    }

    @Test
    void shouldLimitTheLengthOfPackedMessages() {
        final int q = 48;
        final Shape s = new Shape(2, q, NodeLayout.blocks(2 * q, 2));
        for (final long block : new long[] {HierarchicalAlltoall.MAX_MESSAGE / q / q, HierarchicalAlltoall.MAX_MESSAGE / q / q + 1}) {
            final Blocks blocks = Blocks.uniform(s.p(), block);
            final boolean isOne = block * q * q <= HierarchicalAlltoall.MAX_MESSAGE;
            assertMessages(isOne ? 2 : 2 * q * q, 2 * q * q * block, s.cost(Operation.ALLTOALL, new Call.Alltoall(blocks, blocks, false)));
        }
    }

    @Test
    void shouldServeTheNodeOfALeadingRootWhileItSends() {
        final VirtualModule virtual = VirtualModule.of(new SmpModule(), new BasicModule(), NodeLayout.blocks(3, 2));
        final List<Call.Bcast> calls = Collections.nCopies(3, new Call.Bcast(M, 0));
        assertEquals(1, CostSimulator.of(Operation.BCAST, virtual, HierarchicalTable.NAME, calls).time(1, 0, 0));
    }

    /** Leaders exchange the same messages as in a communicator of leaders alone. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldSendTheLeadersMessagesOnly(final Shape s) {
        final Blocks blocks = Blocks.uniform(s.p(), M);
        final Blocks ofNodes = Blocks.uniform(s.k(), s.q() * M);
        final long count = M / ELEMENT;
        assertSame(s.amongLeaders(Operation.BARRIER, new Call.Barrier()), s.cost(Operation.BARRIER, new Call.Barrier()));
        assertSame(s.amongLeaders(Operation.BCAST, new Call.Bcast(M, 0)), s.cost(Operation.BCAST, new Call.Bcast(M, 0)));
        assertSame(s.amongLeaders(Operation.REDUCE, new Call.Reduce(SUM, count, 0, false)),
            s.cost(Operation.REDUCE, new Call.Reduce(SUM, count, 0, false)));
        assertSame(s.amongLeaders(Operation.ALLREDUCE, new Call.Allreduce(SUM, count, true)),
            s.cost(Operation.ALLREDUCE, new Call.Allreduce(SUM, count, false)));
        assertSame(s.amongLeaders(Operation.ALLGATHER, new Call.Allgather(s.q() * M, ofNodes, true)),
            s.cost(Operation.ALLGATHER, new Call.Allgather(M, blocks, false)));
        assertSame(s.amongLeaders(Operation.REDUCE_SCATTER, new Call.ReduceScatter(SUM, ofNodes, false)),
            s.cost(Operation.REDUCE_SCATTER_BLOCK, new Call.ReduceScatter(SUM, blocks, false)));
        if (!s.set(Map.of()).offers(Operation.SCAN).isEmpty()) {
            assertSame(s.amongLeaders(Operation.EXSCAN, new Call.Scan(SUM, count, false)), s.cost(Operation.SCAN, new Call.Scan(SUM, count, false)));
            assertSame(s.amongLeaders(Operation.EXSCAN, new Call.Scan(SUM, count, false)), s.cost(Operation.EXSCAN, new Call.Scan(SUM, count, true)));
        }
    }

    private static void assertSame(final CostSimulator leaders, final CostSimulator all) {
        assertMessages(leaders.messages(), leaders.bytes(), all);
        assertTrue(all.time(1, 0, 0) > leaders.time(1, 0, 0));
    }

    private static void assertMessages(final long messages, final long bytes, final CostSimulator clock) {
        assertEquals(messages, clock.messages());
        assertEquals(bytes, clock.bytes());
    }
}
