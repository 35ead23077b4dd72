package tutti.coll.recexch;

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
import tutti.coll.ReductionOrder;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.SingleRankComm;

class RecexchModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "allreduce", "barrier", "bcast", "exscan", "reduce",
        "reduce_scatter", "reduce_scatter_block", "scan");

    private final RecexchModule module = new RecexchModule();

    @Test
    void shouldServeTenOperationsOnAnyNumberOfRanks() {
        for (final int size : new int[] {1, 2, 3, 17, 4096}) {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
            assertEquals(25, usable.priority());
            final AlgorithmTable table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("ranks exchange within one group, not between two", new SingleRankComm(4, true));
    }

    @Test
    void shouldDeclineARadixThatIsTooSmall() {
        for (final int k : new int[] {1, 0, -2}) {
            assertDeclined("radix too small: coll.recexch.k=" + k + ", least=2", new SingleRankComm(4, false, Map.of("coll.recexch.k", "" + k)));
        }
    }

    private void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldExchangeWithAsManyRanksInARoundAsTheParameterSays() {
        assertEquals(3 * 8, messages(Map.of()));
        assertEquals(3 * 8, messages(Map.of("coll.recexch.k", "2")));
        assertEquals(7 * 8, messages(Map.of("coll.recexch.k", "8")));
        assertEquals(7 * 8, messages(Map.of("coll.recexch.k", "2147483647")));
    }

    /** Returns the messages of a barrier of eight ranks. */
    private long messages(final Map<String, String> parameters) {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(8, false, parameters));
        return CostSimulator.of(table.intra(Operation.BARRIER).algorithm(), 8, new Call.Barrier()).messages();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        assertEquals(List.of("doubling", "rabenseifner", "canonical"), names(Operation.ALLREDUCE));
        assertEquals(List.of("halving", "halving_in_order"), names(Operation.REDUCE_SCATTER));
        assertEquals(List.of("halving", "halving_in_order"), names(Operation.REDUCE_SCATTER_BLOCK));
        assertEquals(List.of("rabenseifner"), names(Operation.REDUCE));
        assertEquals(List.of("scatter_allgather"), names(Operation.BCAST));
        for (final Operation<?> o : List.of(Operation.ALLGATHER, Operation.ALLGATHERV, Operation.BARRIER, Operation.EXSCAN, Operation.SCAN)) {
            assertEquals(List.of("doubling"), names(o));
        }
    }

    private static <C extends Call> List<String> names(final Operation<C> operation) {
        return RecexchModule.table(5, 2).everyIntra(operation).stream().map(AlgorithmTable.Entry::name).toList();
    }

    @Test
    void shouldPromiseCanonicalBracketsWhereTheSizeGivesThem() {
        assertEquals(ReductionOrder.CANONICAL, RecexchModule.table(8, 2).intra(Operation.ALLREDUCE).order());
        assertEquals(ReductionOrder.CANONICAL, RecexchModule.table(7, 2).intra(Operation.REDUCE).order());
        assertEquals(ReductionOrder.CANONICAL, RecexchModule.table(16, 4).everyIntra(Operation.REDUCE_SCATTER).get(1).order());
        assertEquals(ReductionOrder.RANKS, RecexchModule.table(16, 4).intra(Operation.REDUCE_SCATTER).order());
        assertEquals(ReductionOrder.RANKS, RecexchModule.table(5, 2).intra(Operation.ALLREDUCE).order());
        assertEquals(ReductionOrder.RANKS, RecexchModule.table(9, 3).intra(Operation.ALLREDUCE).order());
        assertEquals(ReductionOrder.CANONICAL, RecexchModule.table(9, 3).everyIntra(Operation.ALLREDUCE).getLast().order());
        assertEquals(ReductionOrder.CANONICAL, RecexchModule.table(5, 2).intra(Operation.SCAN).order());
        assertEquals(ReductionOrder.RANKS, RecexchModule.table(4, 4).intra(Operation.EXSCAN).order());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(RecexchModule.class);
        assertEquals("recexch", declared.name());
        assertEquals(OFFERED, declared.operations());
    }

    @Test
    void shouldDeclareTheParametersThatItReadsAndThatItsPageTells() throws IOException {
        final ModuleDeclaration declared = ModuleDeclaration.of(RecexchModule.class, RecexchParameters.class);
        assertEquals(List.of(), declared.mismatches(Path.of("README.md")));
        assertEquals(List.of(), declared.mismatches(SingleRankComm.tableOf(module, new SingleRankComm(8, false))));
        assertEquals(Integer.toString(RecexchParameters.MIN_K), declared.parameters().get("k").min());
    }
}
