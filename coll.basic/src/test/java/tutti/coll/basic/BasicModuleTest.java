package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;
import tutti.coll.AlgorithmTable;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.SingleRankComm;

class BasicModuleTest {
    private final BasicModule module = new BasicModule();

    @Test
    void shouldServeEveryOperationOnIntracommunicatorsOfAnySize() {
        for (final int size : new int[] {1, 2, 17, 4096}) {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(size, false)));
            assertEquals(10, usable.priority());
            for (final Operation<?> operation : Operation.values()) {
                assertNotNull(usable.instance().table().intra(operation), operation::id);
            }
        }
    }

    @Test
    void shouldServeEveryOperationThatThereIsOnIntercommunicators() {
        final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, module.query(new SingleRankComm(4, true)));
        for (final Operation<?> operation : Operation.values()) {
            assertEquals(operation.onIntercommunicators(), usable.instance().table().inter(operation) != null, operation::id);
        }
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final AlgorithmTable table = SingleRankComm.tableOf(module, new SingleRankComm(4, false));
        assertEquals("binomial", table.intra(Operation.BCAST).name());
        assertEquals("recursive_doubling", table.intra(Operation.ALLREDUCE).name());
        assertEquals("dissemination", table.intra(Operation.BARRIER).name());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() {
        final ModuleDeclaration declared = ModuleDeclaration.of(BasicModule.class);
        assertEquals("basic", declared.name());
        assertEquals(Operation.values().stream().map(Operation::id).toList(), declared.operations());
    }
}
