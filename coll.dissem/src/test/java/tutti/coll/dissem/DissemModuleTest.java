package tutti.coll.dissem;

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
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.SingleRankComm;

class DissemModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "alltoall", "barrier");

    private final DissemModule module = new DissemModule();

    @Test
    void shouldServeFourOperationsOnAnyNumberOfRanks() {
        for (final int size : new int[] {1, 2, 17, 4096}) {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
            assertEquals(22, usable.priority());
            final AlgorithmTable table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("intercommunicators are not supported: the algorithms need one cyclic order of all ranks", new SingleRankComm(4, true));
    }

    @Test
    void shouldDeclineARadixBelowTwo() {
        assertDeclined("radix too small: coll.dissem.k=1, least=2", new SingleRankComm(4, false, Map.of("coll.dissem.k", "1")));
    }

    private void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldTakeTheParameterAsRadix() {
        assertEquals(4 * 16, messages(Map.of()));
        assertEquals(6 * 16, messages(Map.of("coll.dissem.k", "4")));
        assertEquals(15 * 16, messages(Map.of("coll.dissem.k", "2147483647")));
    }

    /** Returns the number of messages of a barrier of 16 ranks. */
    private long messages(final Map<String, String> parameters) {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(16, false, parameters));
        return CostSimulator.of(table.intra(Operation.BARRIER).algorithm(), 16, new Call.Barrier()).messages();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(4, false));
        assertEquals("dissemination", table.intra(Operation.BARRIER).name());
        assertEquals("bruck", table.intra(Operation.ALLGATHER).name());
        assertEquals("bruck", table.intra(Operation.ALLGATHERV).name());
        assertEquals("bruck", table.intra(Operation.ALLTOALL).name());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(DissemModule.class);
        assertEquals("dissem", declared.name());
        assertEquals(OFFERED, declared.operations());
    }

    @Test
    void shouldDeclareTheParametersThatItReadsAndThatItsReadmeLists() throws IOException {
        final ModuleDeclaration declared = ModuleDeclaration.of(DissemModule.class, DissemParameters.class);
        assertEquals(List.of(), declared.mismatches(Path.of("README.md")));
        assertEquals(List.of(), declared.mismatches(SingleRankComm.tableOf(module, new SingleRankComm(8, false))));
        assertEquals(Integer.toString(DissemParameters.MIN_K), declared.parameters().get("k").min());
    }
}
