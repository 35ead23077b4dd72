package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class AlgorithmTableTest {
    private final Algorithm<Call.Bcast> first = (call, plan) -> plan.fence();
    private final Algorithm<Call.Bcast> second = (call, plan) -> plan.scratch(call.bytes());

    @Test
    void shouldOfferNothingAtFirst() {
        final AlgorithmTable table = AlgorithmTable.builder().build();
        for (final Operation<?> operation : Operation.values()) {
            assertNull(table.intra(operation));
            assertNull(table.inter(operation));
        }
    }

    @Test
    void shouldKeepIntraAndInterApart() {
        final AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "first", first).inter(Operation.BCAST, "second", second).build();
        assertSame(first, table.intra(Operation.BCAST).algorithm());
        assertEquals("first", table.intra(Operation.BCAST).name());
        assertSame(second, table.inter(Operation.BCAST).algorithm());
        assertNull(table.intra(Operation.REDUCE));
    }

    @Test
    void shouldKeepAlgorithmsInTheOrderOfChoice() {
        final AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "first", first)
            .intra(Operation.BCAST, "second", second, ReductionOrder.ANY).build();
        assertEquals(List.of(new AlgorithmTable.Entry<>("first", first, ReductionOrder.RANKS, List.of()),
            new AlgorithmTable.Entry<>("second", second, ReductionOrder.ANY, List.of())),
            table.everyIntra(Operation.BCAST));
        assertSame(first, table.intra(Operation.BCAST).algorithm());
        assertEquals(List.of(), table.everyInter(Operation.BCAST));
    }

    @Test
    void shouldNotChangeWhenTheBuilderIsUsedFurther() {
        final AlgorithmTable.Builder builder = AlgorithmTable.builder().intra(Operation.BCAST, "first", first);
        final AlgorithmTable table = builder.build();
        builder.intra(Operation.BCAST, "first", second);
        assertSame(first, table.intra(Operation.BCAST).algorithm());
        assertSame(second, builder.build().intra(Operation.BCAST).algorithm());
    }

    @Test
    void shouldRefuseOperationsNotDefinedOnIntercommunicators() {
        final Algorithm<Call.Scan> scan = (call, plan) -> plan.fence();
        assertEquals("not defined on intercommunicators: operation=scan", assertThrows(IllegalArgumentException.class,
            () -> AlgorithmTable.builder().inter(Operation.SCAN, "any", scan)).getMessage());
    }
}
