package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tutti.coll.AlgorithmTable;
import tutti.coll.Operation;
import tutti.coll.QueryResult;

class SingleRankCommTest {

    /** Parameters of every supported type. */
    private @interface Parameters {
        /** A number with a default. */
        int number() default 7;

        /** A large number. */
        long large() default 1;

        /** A fraction. */
        double fraction() default 0.5;

        /** A truth value. */
        boolean on() default false;

        /** A text. */
        String text() default "none";
    }

    @Test
    void shouldGiveParametersTheirDefaults() {
        final Parameters p = new SingleRankComm(4, false).job().parameters("coll.own", Parameters.class);
        assertEquals(7, p.number());
        assertEquals("none", p.text());
    }

    @Test
    void shouldConvertTheJobsParametersOfThatPid() {
        final Parameters p = new SingleRankComm(4, false, Map.of("coll.own.number", "8", "coll.own.large", "9", "coll.own.fraction", "1.5",
            "coll.own.on", "true", "coll.own.text", "some", "coll.other.number", "9")).job().parameters("coll.own", Parameters.class);
        assertEquals(8, p.number());
        assertEquals(9, p.large());
        assertEquals(1.5, p.fraction());
        assertTrue(p.on());
        assertEquals("some", p.text());
    }

    @Test
    void shouldHandOutTheTableOfAModuleThatIsUsable() {
        final AlgorithmTable table = SingleRankComm.tableOf(comm -> QueryResult.usable(1, AlgorithmTable.builder()
            .intra(Operation.BARRIER, "own", (call, plan) -> {}).build()),
            new SingleRankComm(4, false));
        assertNotNull(table.intra(Operation.BARRIER));
    }

    @Test
    void shouldRefuseAModuleThatDeclines() {
        final IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
            () -> SingleRankComm.tableOf(comm -> new QueryResult.Declined("too few"), new SingleRankComm(1, false)));
        assertEquals("declined: too few", e.getMessage());
    }
}
