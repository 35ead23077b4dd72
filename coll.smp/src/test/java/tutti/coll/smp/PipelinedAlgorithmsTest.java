package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.SymbolicReduction;
import tutti.coll.tck.VirtualModule;

/** Proves the algorithms between two groups, and compares their costs with what their Javadoc states. */
class PipelinedAlgorithmsTest {
    private static final List<Operation<?>> OPERATIONS = List.of(Operation.ALLREDUCE, Operation.BCAST, Operation.REDUCE);
    private static final SymbolicReduction SUM = new SymbolicReduction(4, true);
    private static final long BYTES = 4 * 64 * 12;

    static Stream<Operation<?>> operations() {
        return OPERATIONS.stream();
    }

    private static VirtualModule set(final int first, final NodeLayout layout, final String segment) {
        return VirtualModule.between(new SmpModule(), new BasicModule(), first, layout, Map.of("coll.smp.segment", segment, "coll.smp.fanin", "2"));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfGroupsOfAnySizeOnAnyNodes(final Operation<?> operation) {
        for (int first = 1; first <= 4; first++) {
            for (int second = 1; second <= 4; second++) {
                final int ranks = first + second;
                prove(operation, set(first, NodeLayout.oneNode(ranks), "64"), List.of(0, 1, 40));
                prove(operation, set(first, NodeLayout.interleaved(ranks, 2), "64"), List.of(40));
                prove(operation, set(first, NodeLayout.onePerNode(ranks), "64"), List.of(1, 40));
            }
        }
        prove(operation, set(9, NodeLayout.blocks(22, 3), "64"), List.of(35));
    }

    private static <C extends Call> void prove(final Operation<C> operation, final VirtualModule module, final List<Integer> counts) {
        assertEquals(List.of(PipelinedTable.NAME), module.offers(operation));
        PlanChecker.prove(operation, module, PipelinedTable.NAME, CallCases.between(operation, module.groups(), counts));
    }

    /** Returns a call of groups of {@code first} and q ranks, the first of which is the root where there is one. */
    @SuppressWarnings("unchecked")
    private static <C extends Call> List<C> calls(final Operation<C> operation, final int first, final int q) {
        return (List<C>) IntStream.range(0, first + q).mapToObj(i -> switch (operation.id()) {
            case "allreduce" -> new Call.Allreduce(SUM, BYTES / 4, false);
            case "bcast" -> new Call.Bcast(i > 0 && i < first ? 0 : BYTES, i == 0 ? Call.ROOT : i < first ? Call.PROC_NULL : 0);
            default -> i > 0 && i < first ? new Call.Reduce(null, 0, Call.PROC_NULL, false)
                : new Call.Reduce(SUM, BYTES / 4, i == 0 ? Call.ROOT : 0, false);
        }).toList();
    }

    private static <C extends Call> CostSimulator cost(final Operation<C> operation, final int first, final int q, final NodeLayout layout,
        final int segments) {
        return CostSimulator.of(operation, set(first, layout, Long.toString(BYTES / segments)), PipelinedTable.NAME, calls(operation, first, q));
    }

    /** With each rank on its own node binomial trees serve the groups. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 16})
    void shouldCostWhatTheirJavadocStatesWhereTreesServeTheGroups(final int q) {
        final int log = Integer.SIZE - Integer.numberOfLeadingZeros(q - 1);
        for (final int s : new int[] {1, 2, 4, 12}) {
            for (final Operation<?> rooted : List.of(Operation.BCAST, Operation.REDUCE)) {
                final CostSimulator cost = cost(rooted, 3, q, NodeLayout.onePerNode(3 + q), s);
                final int rounds = q == 1 ? s : s * log + 1;
                assertEquals(rounds, cost.time(1, 0, 0), rooted + " alphas");
                assertEquals(rounds * BYTES / s, cost.time(0, 1, 0), rooted + " bytes");
                assertEquals((long) s * q, cost.messages(), rooted.id());
                assertEquals(rooted == (Operation<?>) Operation.REDUCE ? log * BYTES : 0, cost.combined(), rooted.id());
            }
            final CostSimulator cost = cost(Operation.ALLREDUCE, q, q, NodeLayout.onePerNode(2 * q), s);
            final int rounds = q == 1 ? s : 2 * (s * log + 1) - (s == 1 ? 1 : 0);
            assertEquals(rounds, cost.time(1, 0, 0), "alphas");
            assertEquals(rounds * BYTES / s, cost.time(0, 1, 0), "bytes");
            assertEquals(2L * s * (1 + 2 * (q - 1)), cost.messages());
            assertEquals(log * BYTES, cost.combined());
        }
    }

    /** Each group on a node of its own, where it shares memory: only segments are sent between the nodes, while the groups work. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void shouldHideTheWorkWithinNodesBehindTheMessagesBetweenThem(final int q) {
        final int s = 12;
        for (final Operation<?> operation : OPERATIONS) {
            final CostSimulator cost = cost(operation, q, q, NodeLayout.blocks(2 * q, 2), s);
            final CostSimulator whole = cost(operation, q, q, NodeLayout.blocks(2 * q, 2), 1);
            assertEquals((operation == (Operation<?>) Operation.ALLREDUCE ? 2L : 1L) * s, cost.messages(), operation.id());
            assertEquals((operation == (Operation<?>) Operation.ALLREDUCE ? 2L : 1L), whole.messages(), operation.id());
            assertTrue(cost.time(0, 1, 0) < 0.75 * whole.time(0, 1, 0), operation.id());
            if (operation == (Operation<?>) Operation.BCAST) {
                assertEquals(BYTES + BYTES / s, cost.time(0, 1, 0));
            }
        }
    }
}
