package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class QueryResultTest {
    private final AlgorithmTable table = AlgorithmTable.builder().build();

    @Test
    void shouldOfferTheTableThatItWasMadeWith() throws Exception {
        final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, QueryResult.usable(100, table));
        assertSame(table, usable.instance().table());
        assertSame(table, usable.instance().init());
    }

    @Test
    void shouldRefuseAPriorityOutOfRange() {
        assertEquals("priority out of range: priority=101, range=0..100",
            assertThrows(IllegalArgumentException.class, () -> QueryResult.usable(101, table)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> QueryResult.usable(-1, table));
    }
}
