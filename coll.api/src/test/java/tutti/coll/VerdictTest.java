package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class VerdictTest {
    private final Table table = Table.builder().build();

    @Test
    void shouldServeTheTableThatItWasMadeWith() throws Exception {
        final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, Verdict.usable(100, table));
        assertSame(table, usable.instance().table());
        assertSame(table, usable.instance().init());
    }

    @Test
    void shouldRefuseAPriorityOutOfRange() {
        assertEquals("priority out of range: priority=101, range=0..100",
            assertThrows(IllegalArgumentException.class, () -> Verdict.usable(101, table)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> Verdict.usable(-1, table));
    }
}
