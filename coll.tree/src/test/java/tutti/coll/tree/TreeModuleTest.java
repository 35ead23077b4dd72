package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.SingleRankComm;

class TreeModuleTest {
    private static final List<String> OFFERED = List.of("allreduce", "barrier", "bcast", "gather", "gatherv", "reduce", "scatter", "scatterv");

    private final TreeModule module = new TreeModule();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 17, 4096})
    void shouldServeEightOperationsOnAnyNumberOfRanks(final int size) {
        final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
        assertEquals(20, usable.priority());
        final AlgorithmTable table = usable.instance().table();
        assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
        assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("a tree joins the ranks of one group, not of two", new SingleRankComm(4, true));
    }

    @ParameterizedTest
    @CsvSource({"k,1,2", "branches,1,2", "segment,63,64", "throttle,0,1", "k,-7,2"})
    void shouldDeclineAParameterThatIsTooSmall(final String name, final int value, final int least) {
        assertDeclined("parameter too small: coll.tree." + name + "=" + value + ", least=" + least,
            new SingleRankComm(4, false, Map.of("coll.tree." + name, Integer.toString(value))));
        assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(4, false, Map.of("coll.tree." + name, Integer.toString(least)))));
    }

    private void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldOfferCanonicalReductionsWhereTheRadixIsAPowerOfTwo() {
        final AlgorithmTable four = tableWith("k", "4");
        assertEquals(List.of("knomial", "kary"), names(four, Operation.ALLREDUCE));
        assertEquals(List.of("knomial", "kary", "canonical"), names(four, Operation.REDUCE));
        assertEquals(List.of(ReductionOrder.CANONICAL, ReductionOrder.RANKS), orders(four, Operation.ALLREDUCE));
        assertEquals(List.of(ReductionOrder.RANKS, ReductionOrder.RANKS, ReductionOrder.CANONICAL), orders(four, Operation.REDUCE));
        final AlgorithmTable three = tableWith("k", "3");
        assertEquals(List.of(ReductionOrder.RANKS, ReductionOrder.RANKS), orders(three, Operation.ALLREDUCE));
        assertEquals(List.of("knomial", "kary"), names(three, Operation.REDUCE));
    }

    private static List<String> names(final AlgorithmTable table, final Operation<?> operation) {
        return table.everyIntra(operation).stream().map(AlgorithmTable.Entry::name).toList();
    }

    private static List<ReductionOrder> orders(final AlgorithmTable table, final Operation<?> operation) {
        return table.everyIntra(operation).stream().map(AlgorithmTable.Entry::order).toList();
    }

    @Test
    void shouldCutIntoSegmentsOfTheParametersLength() {
        assertEquals(3 * 3, messages(tableWith("segment", "32769")));
        assertEquals(3 * 4, messages(SingleRankComm.tableOf(module, new SingleRankComm(4, false))));
        assertEquals(3 * 256, messages(tableWith("segment", "64")));
    }

    /** Returns the messages of a broadcast of three default segments and one byte to three other ranks. */
    private static long messages(final AlgorithmTable table) {
        return CostSimulator.of(table.intra(Operation.BCAST).algorithm(), 4, new Call.Bcast(3 * 32768 + 1, 0)).messages();
    }

    @Test
    void shouldTakeTheRadixOfItsParameters() {
        assertEquals(3, barrier(tableWith("k", "2"), 0, 8) / 2);
        assertEquals(7, barrier(tableWith("k", "8"), 0, 8) / 2);
        assertEquals(6, barrier(tableWith("branches", "3"), 1, 13) / 2);
        assertEquals(12, barrier(tableWith("branches", "12"), 1, 13) / 2);
    }

    private static double barrier(final AlgorithmTable table, final int index, final int size) {
        return CostSimulator.of(table.everyIntra(Operation.BARRIER).get(index).algorithm(), size, new Call.Barrier()).time(1, 0, 0);
    }

    private AlgorithmTable tableWith(final String name, final String value) {
        return SingleRankComm.tableOf(module, new SingleRankComm(4, false, Map.of("coll.tree." + name, value)));
    }

    @Test
    void shouldLeaveOtherOperationsToOtherModules() {
        assertNull(SingleRankComm.tableOf(module, new SingleRankComm(4, false)).intra(Operation.ALLGATHER));
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(TreeModule.class);
        assertEquals("tree", declared.name());
        assertEquals(OFFERED, declared.operations());
    }

    @Test
    void shouldDeclareTheParametersThatItReadsAndThatItsPageTells() throws IOException {
        final ModuleDeclaration declared = ModuleDeclaration.of(TreeModule.class, TreeParameters.class);
        assertEquals(List.of(), declared.mismatches(Path.of("README.md")));
        assertEquals(List.of(), declared.mismatches(SingleRankComm.tableOf(module, new SingleRankComm(8, false))));
        assertEquals(Integer.toString(TreeParameters.MIN_K), declared.parameters().get("k").min());
        assertEquals(Integer.toString(TreeParameters.MIN_K), declared.parameters().get("branches").min());
        assertEquals(Integer.toString(TreeParameters.MIN_SEGMENT), declared.parameters().get("segment").min());
        assertEquals(Integer.toString(TreeParameters.MIN_THROTTLE), declared.parameters().get("throttle").min());
    }
}
