package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.VirtualModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;

/**
 * Proves and runs module smp over nodes together with other modules within nodes and between them. Each module has each place once at least; runs
 * take some of the pairs.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmpHybridsTest {
    private static final String HIERARCHICAL = "hierarchical";
    private static final String PIPELINED = "pipelined";
    private static final CollModule BASIC = new BasicModule();
    /** The operations over nodes whose ranks take turns. */
    private static final Set<String> INTERLEAVED = Set.of("allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "gather", "gatherv",
        "reduce", "reduce_scatter", "reduce_scatter_block", "scatter");

    /** Returns parameters for many segments, several rounds and blocks on both sides of the limit of packing. */
    private static Map<String, String> parameters(final int radix) {
        final String k = Integer.toString(radix);
        return Map.of("coll.smp.segment", "64", "coll.smp.fanin", "2", "coll.smp.pack", "36", "coll.smp.small", "100", "coll.tree.segment", "64",
            "coll.tree.k", k, "coll.ring.segment", "64", "coll.recexch.k", k, "coll.dissem.k", k);
    }

    /** Returns each pair of modules on nodes of different sizes, on blocks of ranks and on ranks that take turns, with one of two radices. */
    static Stream<Arguments> layouts() {
        return Stream.of("tree+recexch", "recexch+tree", "smp+recexch", "smp+tree", "ring+dissem", "dissem+ring", "recexch+smp", "tree+ring",
            "basic+dissem").flatMap(
                names -> Stream.of(Arguments.of(names, NodeLayout.uneven(9), 2), Arguments.of(names, NodeLayout.blocks(8, 3), 3),
                    Arguments.of(names, NodeLayout.interleaved(9, 5), 2 + names.length() % 2)));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldBeCorrectOverNodes(final String names, final NodeLayout layout, final int radix) {
        final int size = layout.ranks();
        try (VirtualModule virtual = VirtualModule.of(Hybrid.of(names), BASIC, layout, parameters(radix))) {
            final List<Operation<?>> offered = Operation.values().stream().filter(o -> !virtual.offers(o).isEmpty()).toList();
            assertTrue(offered.size() >= INTERLEAVED.size(), offered::toString);
            for (final Operation<?> operation : offered) {
                prove(operation, virtual, List.of(1, size + 1, 37), 0, size / 2);
            }
        }
    }

    private static <C extends Call> void prove(final Operation<C> operation, final VirtualModule virtual, final List<Integer> counts,
        final int... roots) {
        final ReductionOrder order = virtual.entry(operation, HIERARCHICAL).order();
        PlanChecker.prove(operation, virtual, HIERARCHICAL, CallCases.of(operation, virtual.size(), counts, roots).stream()
            .filter(calls -> order.serves(calls.getFirst().reduction())).toList());
    }

    /** Also groups over several nodes, so that module smp splits the local group. */
    @ParameterizedTest
    @CsvSource({"tree+recexch, 5, 9, 3", "recexch+tree, 2, 9, 2", "smp+ring, 4, 9, 3", "ring+recexch, 4, 8, 1", "dissem+dissem, 1, 7, 2"})
    void shouldBeCorrectBetweenGroups(final String names, final int first, final int ranks, final int nodes) {
        final NodeLayout layout = NodeLayout.interleaved(ranks, nodes);
        try (VirtualModule virtual = VirtualModule.between(Hybrid.of(names), BASIC, first, layout, parameters(2 + first % 2))) {
            for (final Operation<?> operation : List.of(Operation.ALLREDUCE, Operation.BCAST, Operation.REDUCE)) {
                proveBetween(operation, virtual);
            }
        }
    }

    private static <C extends Call> void proveBetween(final Operation<C> operation, final VirtualModule virtual) {
        PlanChecker.prove(operation, virtual, PIPELINED, CallCases.between(operation, virtual.groups(), List.of(1, 40)));
    }

    @ParameterizedTest
    @CsvSource({"tree+recexch, 7, 3", "recexch+tree, 8, 3", "smp+recexch, 9, 4", "ring+dissem, 7, 2", "dissem+ring, 7, 4"})
    void shouldKeepTheContractOverNodes(final String names, final int ranks, final int nodes) throws Exception {
        final List<String> expected = INTERLEAVED.stream().map(o -> o + "=" + HIERARCHICAL).sorted().toList();
        assertEquals(expected, List.copyOf(ContractSuite.everyAlgorithm(new Shape(ranks, nodes), Hybrid.class, parameters(2 + ranks % 2),
            List.of(BASIC, Hybrid.of(names)))));
    }

    @Test
    void shouldLetTheModuleOfEachPlaceServeIt() throws Exception {
        ModuleRuns.run(5, 2, parameters(2), List.of(BASIC, Hybrid.of("tree+recexch")), rank -> {
            final Communicator c = rank.world();
            final Stream<String> parts = c.engine().parts(Operation.ALLREDUCE, 64).stream()
                .map(p -> p.operation() + " " + p.communicator() + " " + p.algorithm());
            final String node = " MPI_COMM_WORLD/Hybrid.node." + c.rank() % 2 + " knomial";
            assertEquals(Stream.of("reduce" + node, "allreduce MPI_COMM_WORLD/Hybrid.leaders doubling", "bcast" + node)
                .filter(p -> c.rank() < 2 || !p.contains("leaders")).toList(), parts.toList());
        });
    }

    @ParameterizedTest
    @CsvSource({"tree+recexch, 5, 4, 3", "recexch+ring, 5, 2, 3"})
    void shouldKeepTheContractBetweenGroups(final String names, final int first, final int second, final int nodes) throws Exception {
        assertEquals(Set.of("allreduce=pipelined", "bcast=pipelined", "reduce=pipelined"), ContractSuite.everyAlgorithmBetween(
            new ContractSuite.Groups(first, second, nodes), Hybrid.class, parameters(2), List.of(BASIC, Hybrid.of(names))));
    }
}
