package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OperationTest {
    @Test
    void shouldListAllOperationsInOrder() {
        assertEquals(List.of("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan", "gather",
            "gatherv", "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
            "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv"),
            Operation.values().stream().map(Operation::id).toList());
        assertEquals(IntStream.range(0, 22).boxed().toList(), Operation.values().stream().map(Operation::ordinal).toList());
        assertEquals(Operation.values(), Operation.values().stream().sorted().toList());
    }

    @Test
    void shouldBeFoundById() {
        for (final Operation<?> operation : Operation.values()) {
            assertSame(operation, Operation.of(operation.id()));
            assertEquals(operation.id(), operation.toString());
        }
    }

    @Test
    void shouldListTheKnownIdsWhenThereIsNone() {
        final String message = assertThrows(IllegalArgumentException.class, () -> Operation.of("Bcast")).getMessage();
        assertTrue(message.startsWith("no such operation: name=Bcast, known=[allgather, "), message);
    }

    @Test
    void shouldExcludeScansAndNeighboursFromIntercommunicators() {
        for (final Operation<?> operation : Operation.values()) {
            final boolean intraOnly = operation.callType() == Call.Scan.class || operation.id().startsWith("neighbor_");
            assertEquals(!intraOnly, operation.onIntercommunicators(), operation::id);
        }
    }

    @Test
    void shouldReturnTheCallType() {
        assertSame(Call.Gather.class, Operation.GATHERV.callType());
        assertSame(Call.ReduceScatter.class, Operation.REDUCE_SCATTER_BLOCK.callType());
        assertFalse(Operation.values().stream().anyMatch(o -> !Call.class.isAssignableFrom(o.callType())));
    }

    @Test
    void shouldReturnAnUnmodifiableList() {
        assertThrows(UnsupportedOperationException.class, () -> Operation.values().clear());
    }

    @Test
    void shouldLetOnlyCallsWithSizesThatAllRanksKnowBeSkipped() {
        assertEquals(List.of("alltoallv", "alltoallw", "barrier", "gatherv", "neighbor_allgather", "neighbor_allgatherv",
            "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "scatterv"),
            Operation.values().stream().filter(o -> !o.skipsEmpty()).map(Operation::id).toList());
    }
}
