package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.Tunable;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.VirtualModule;

class SmpModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather",
        "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter");
    private static final List<String> PREFIXES = List.of("exscan", "scan");

    private final SmpModule module = new SmpModule();

    @Test
    void shouldServeRanksOfOneNode() {
        for (final int size : new int[] {2, 3, 17, 1024}) {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
            assertEquals(70, usable.priority());
            final AlgorithmTable table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    /** Prefix operations are offered only where the ranks of each node are consecutive. */
    @Test
    void shouldServeSeveralNodesWhereTwoRanksAreTogether() {
        final NodeLayout interleaved = NodeLayout.interleaved(7, 3);
        for (final NodeLayout layout : List.of(NodeLayout.blocks(4, 2), interleaved, NodeLayout.uneven(3 + 1))) {
            final VirtualModule virtual = VirtualModule.of(module, new BasicModule(), layout);
            assertEquals(OFFERED.stream().filter(o -> !layout.equals(interleaved) || !PREFIXES.contains(o)).toList(),
                Operation.values().stream().filter(o -> !virtual.offers(o).isEmpty()).map(Operation::id).toList());
        }
    }

    @Test
    void shouldDeclineWhereNoTwoRanksAreTogether() {
        assertEquals("no two ranks on one node: ranks=3",
            VirtualModule.of(module, new BasicModule(), NodeLayout.onePerNode(3)).declined().orElseThrow());
        assertDeclined("only one rank", new SingleRankComm(1, false));
    }

    @Test
    void shouldDivideByTheLevelsOfAParameter() {
        assertDeclined("not names of levels of locality: coll.smp.levels=jvm,rack", new SingleRankComm(4, false,
            Map.of("coll.smp.levels", "jvm,rack")));
        // two hosts, each of two JVMs with one rank
        final VirtualModule hosts = VirtualModule.of(module, new BasicModule(), NodeLayout.onePerNode(4), Map.of("coll.smp.levels", "host"));
        assertEquals(List.of("allreduce", "bcast"), Operation.values().stream().filter(o -> !hosts.offers(o).isEmpty()).map(Operation::id).toList());
        final VirtualModule sockets = VirtualModule.of(module, new BasicModule(), NodeLayout.oneNode(4), Map.of("coll.smp.levels", "socket"));
        assertEquals(OFFERED, Operation.values().stream().filter(o -> !sockets.offers(o).isEmpty()).map(Operation::id).toList());
        assertEquals(List.of("hierarchical"), sockets.offers(Operation.BCAST));
    }

    @Test
    void shouldServeTwoGroupsWhereSegmentsHelp() {
        for (final int size : new int[] {1, 4}) {
            final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(size, true));
            assertEquals(List.of("allreduce", "bcast", "reduce"),
                Operation.values().stream().filter(o -> table.inter(o) != null).map(Operation::id).toList());
            assertEquals(List.of("segment"), table.inter(Operation.BCAST).tunables().stream().map(Tunable::parameter).toList());
        }
        assertDeclined("segment too short: coll.smp.segment=63, least=64", new SingleRankComm(4, true, Map.of("coll.smp.segment", "63")));
    }

    @Test
    void shouldDeclineParametersOutOfRange() {
        for (final String fanin : List.of("0", "1", "6", "-8")) {
            assertDeclined("not a power of two, 2 or more: coll.smp.fanin=" + fanin, new SingleRankComm(4, false, Map.of("coll.smp.fanin", fanin)));
        }
        assertDeclined("segment too short: coll.smp.segment=63, least=64", new SingleRankComm(4, false, Map.of("coll.smp.segment", "63")));
        assertDeclined("negative parameter: coll.smp.small=-1, coll.smp.pack=4096", new SingleRankComm(4, false, Map.of("coll.smp.small", "-1")));
        assertDeclined("negative parameter: coll.smp.small=262144, coll.smp.pack=-2", new SingleRankComm(4, false, Map.of("coll.smp.pack", "-2")));
    }

    private void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, module.query(comm)).reason());
    }

    /**
     * With fan-in 16 each of 16 ranks is a leaf of the last rank. With fan-in 4 the last rank waits for 3 ranks, and for 3 that have 4 ranks each.
     */
    @Test
    void shouldBuildTreesOfTheParametersFanIn() {
        assertEquals(15 + 1, tasksOfABarrier("16"));
        assertEquals(3 + 3 + 1, tasksOfABarrier("4"));
    }

    private int tasksOfABarrier(final String fanin) {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(16, false, Map.of("coll.smp.fanin", fanin)));
        return CostSimulator.of(table.intra(Operation.BARRIER).algorithm(), 16, new Call.Barrier()).tasks();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(4, false));
        assertEquals(List.of("shared", "direct", "gather_release", "blocks"),
            table.everyIntra(Operation.ALLREDUCE).stream().map(AlgorithmTable.Entry::name).toList());
        assertEquals(List.of("fenwick"), table.everyIntra(Operation.SCAN).stream().map(AlgorithmTable.Entry::name).toList());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(SmpModule.class);
        assertEquals("smp", declared.name());
        assertEquals(OFFERED, declared.operations());
    }

    @Test
    void shouldDeclareTheParametersThatItReadsAndDocuments() throws IOException {
        final ModuleDeclaration declared = ModuleDeclaration.of(SmpModule.class, SmpParameters.class);
        assertEquals(List.of(), declared.mismatches(Path.of("README.md")));
        assertEquals(List.of(), declared.mismatches(SingleRankComm.tableOf(module, new SingleRankComm(8, false))));
        assertEquals(Integer.toString(SmpParameters.MIN_SEGMENT), declared.parameters().get("segment").min());
    }
}
