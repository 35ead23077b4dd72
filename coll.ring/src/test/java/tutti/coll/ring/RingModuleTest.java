package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tutti.coll.AlgorithmTable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.plan.TaskKind;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.RecordedTask;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.VirtualModule;

class RingModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "bcast",
        "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan");

    private final RingModule module = new RingModule();

    @Test
    void shouldServeItsOperationsOnThreeRanksOrMore() {
        for (final int size : new int[] {3, 4, 17, 4096}) {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
            assertEquals(40, usable.priority());
            final AlgorithmTable table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    @Test
    void shouldDeclineLessThanThreeRanks() {
        assertDeclined("a ring needs 3 ranks: ranks=2", new SingleRankComm(2, false));
        assertDeclined("a ring needs 3 ranks: ranks=1", new SingleRankComm(1, false));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("a ring joins the ranks of one group, not of two", new SingleRankComm(4, true));
    }

    @Test
    void shouldDeclineASegmentThatIsTooShort() {
        assertDeclined("segment too short: coll.ring.segment=63, least=64", new SingleRankComm(4, false, Map.of("coll.ring.segment", "63")));
    }

    @Test
    void shouldDeclineAThrottleThatIsTooSmall() {
        assertDeclined("throttle too small: coll.ring.throttle=0, least=1", new SingleRankComm(4, false, Map.of("coll.ring.throttle", "0")));
    }

    private void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldCutIntoSegmentsOfTheParametersLength() {
        assertEquals(3 * 3, messages(Map.of("coll.ring.segment", "65537")));
        assertEquals(3 * 4, messages(Map.of()));
        assertEquals(3 * 256, messages(Map.of("coll.ring.segment", "64")));
    }

    /** Returns the messages of a broadcast of three default segments and one byte to three other ranks. */
    private long messages(final Map<String, String> parameters) {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(4, false, parameters));
        return CostSimulator.of(table.intra(Operation.BCAST).algorithm(), 4, new Call.Bcast(3 * 65536 + 1, 0)).messages();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(4, false));
        assertEquals("ring", table.intra(Operation.ALLREDUCE).name());
        assertEquals("pipeline", table.intra(Operation.BCAST).name());
        assertEquals("chain", table.intra(Operation.REDUCE).name());
        assertEquals("chain", table.intra(Operation.SCAN).name());
        assertEquals("chain", table.intra(Operation.EXSCAN).name());
        for (final Operation<Call.Alltoall> operation : List.of(Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW)) {
            assertEquals(List.of("pairwise", "scattered", "interleaved"),
                table.everyIntra(operation).stream().map(AlgorithmTable.Entry::name).toList());
        }
    }

    /** Places ranks 0, 2 and 4 on one node, 1 and 3 on another. */
    @Test
    void shouldCrossBetweenNodesOnce() {
        final VirtualModule interleaved = VirtualModule.of(module, new BasicModule(), NodeLayout.interleaved(5, 2));
        final Call.Bcast call = new Call.Bcast(1, 2);
        final RecordingPlan plan = new RecordingPlan(4, 5, call);
        interleaved.entry(Operation.BCAST, "pipeline").algorithm().plan(call, plan);
        assertEquals(List.of(2, 1), plan.tasks().stream().map(RecordedTask::peer).toList());
    }

    @Test
    void shouldHaveAsManyMessagesInProgressAsTheThrottle() {
        assertEquals(8, ready(Map.of()));
        assertEquals(3, ready(Map.of("coll.ring.throttle", "3")));
    }

    /** Returns the sends of an alltoall of 16 ranks that depend on no task. */
    private long ready(final Map<String, String> parameters) {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(16, false, parameters));
        final Blocks blocks = Blocks.uniform(16, 1);
        final Call.Alltoall call = new Call.Alltoall(blocks, blocks, false);
        final RecordingPlan plan = new RecordingPlan(5, 16, call);
        table.intra(Operation.ALLTOALL).algorithm().plan(call, plan);
        return plan.tasks().stream().filter(t -> t.kind() == TaskKind.SEND && t.after().length == 0).count();
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(RingModule.class);
        assertEquals("ring", declared.name());
        assertEquals(OFFERED, declared.operations());
    }

    @Test
    void shouldDeclareTheParametersThatItReadsAndThatItsPageTells() throws IOException {
        final ModuleDeclaration declared = ModuleDeclaration.of(RingModule.class, RingParameters.class);
        assertEquals(List.of(), declared.mismatches(Path.of("README.md")));
        assertEquals(List.of(), declared.mismatches(SingleRankComm.tableOf(module, new SingleRankComm(8, false))));
        assertEquals(Integer.toString(RingParameters.MIN_SEGMENT), declared.parameters().get("segment").min());
        assertEquals(Integer.toString(RingParameters.MIN_THROTTLE), declared.parameters().get("throttle").min());
    }
}
