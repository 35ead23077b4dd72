package tutti.daemon.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.daemon.listing.HeldCheckpoint;

/** Tests from which checkpoint a job continues. */
class RestartPlanTest {
    private static HeldCheckpoint held(final String node, final int number, final boolean complete, final Integer... ranks) {
        return new HeldCheckpoint(node, "s", number, "s", 1, number, complete, 4, List.of(ranks), 10, 1, List.of("a", "b", "c"), null);
    }

    private static Restart choose(final int number, final HeldCheckpoint... held) throws IOException {
        return RestartPlan.choose("s", number, List.of(held), List.of("a", "b"));
    }

    @Test
    void shouldChooseTheNewestThatIsCompleteOnANodeAndHasAllRanks() throws Exception {
        final Restart r =
            choose(0, held("b", 1, true, 0, 1, 2, 3), held("b", 2, false, 2, 3), held("a", 2, true, 0, 1, 2), held("a", 3, false, 0, 1),
                held("b", 3, false, 2, 3), held("a", 4, true, 0));
        assertEquals(2, r.number());
        assertEquals(4, r.ranks());
        assertEquals(List.of("a", "b"), r.holders(2));
        assertEquals(List.of("b"), r.holders(3));
    }

    @Test
    void shouldChooseTheWantedNumber() throws Exception {
        final HeldCheckpoint one = held("b", 1, true, 0, 1, 2, 3);
        assertEquals(1, choose(1, one, held("a", 2, true, 0, 1, 2, 3)).number());
        final String text = assertThrows(IOException.class, () -> choose(7, one)).getMessage();
        assertTrue(text.contains("number=7: there are 1"), text);
    }

    @Test
    void shouldNotMixWhatTwoJobsWroteUnderOneNumber() {
        final HeldCheckpoint other = new HeldCheckpoint("b", "s", 2, "x", 2, 2, true, 4, List.of(2, 3), 10, 1, List.of("a", "b"), null);
        assertThrows(IOException.class, () -> choose(0, held("a", 2, true, 0, 1), other));
        final HeldCheckpoint earlier = new HeldCheckpoint("b", "s", 2, "s", 1, 1, true, 4, List.of(2, 3), 10, 1, List.of("a", "b"), null);
        assertThrows(IOException.class, () -> choose(0, held("a", 2, true, 0, 1), earlier));
    }

    @Test
    void shouldSayWhatIsMissingAndWhichNodesMayHaveIt() {
        final String lack = assertThrows(IOException.class, () -> choose(0, held("a", 2, true, 0, 2))).getMessage();
        assertEquals("no checkpoint to continue from: series=s: checkpoint 2 lacks ranks 1, 3, start node c again", lack);
        final String part = assertThrows(IOException.class, () -> choose(2, held("a", 2, false, 0, 1), held("b", 2, false, 2, 3))).getMessage();
        assertEquals("no checkpoint to continue from: series=s, number=2: checkpoint 2 is complete on no node, start node c again", part);
        final String none = assertThrows(IOException.class, () -> choose(0)).getMessage();
        assertTrue(none.contains("no such series") && none.contains("nodes=[a, b]"), none);
    }
}
