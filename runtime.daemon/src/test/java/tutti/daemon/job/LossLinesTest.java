package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.runtime.job.Replacement;

/** Tests {@link LossLines}. */
class LossLinesTest {
    private final LossLines lines = new LossLines();

    private static JobEndedException end(final String text) {
        return new JobEndedException(1, text + "\nmore");
    }

    private List<String> printed(final boolean all) {
        final List<String> printed = new ArrayList<>();
        lines.print(all, printed::add);
        return printed;
    }

    @Test
    void shouldTellOfARankAndOfPartsAtOnce() {
        lines.addRank(3, 1, end("rank 3 failed"));
        lines.addParts(List.of(0), List.of(7), 0, end("node a was lost"));
        assertEquals(List.of("tutti: rank 3 failed: the job goes on with 1 rank", "tutti: node a was lost: rank 7 has failed"), printed(false));
        assertEquals(Long.MAX_VALUE, lines.nextAt());
    }

    @Test
    void shouldMakeOneLineOfThePartsOfANodeAndKeepTheOrder() {
        lines.addParts(List.of(1), List.of(2), 7, end("node b/0 was lost").byLossOf(1));
        assertEquals(List.of(), printed(false));
        assertNotEquals(Long.MAX_VALUE, lines.nextAt());
        lines.addRank(0, 6, end("rank 0 failed"));
        lines.addParts(List.of(2), List.of(6), 5, end("node b/1 was lost").byLossOf(2));
        lines.addParts(List.of(4), List.of(5), 4, end("node c was lost").byLossOf(4));
        lines.addParts(List.of(1, 2, 3), List.of(7), 3, end("node b was lost"));
        assertEquals(List.of("tutti: node b was lost: ranks 2, 6 and 7 have failed, the job goes on with 5 ranks",
            "tutti: rank 0 failed: the job goes on with 4 ranks"), printed(false));
        assertEquals(List.of("tutti: node c was lost: rank 5 has failed, the job goes on with 3 ranks"), printed(true));
    }

    @Test
    void shouldReplaceTheReasonByThatOfTheRank() {
        lines.addParts(List.of(1), List.of(2), 3, end("node b was lost").byLossOf(1));
        lines.explainByRank(2, end("another one"));
        lines.explainByRank(1, end("rank 2 called System.exit"));
        assertEquals(List.of("tutti: rank 2 called System.exit: the job goes on with 3 ranks"), printed(false));
    }

    @Test
    void shouldNameEightRanksAtMost() {
        lines.addParts(List.of(1), List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 2, end("node b was lost"));
        assertEquals(List.of("tutti: node b was lost: ranks 1, 2, 3, 4, 5, 6, 7, 8 and 2 more have failed, the job goes on with 2 ranks"),
            printed(false));
    }

    private static Replacement place(final int rank, final int replaces) {
        return new Replacement(rank, replaces, 1, 7, List.of(0, rank), "s");
    }

    @Test
    void shouldTellOfPlacesThatWereTakenAtOnce() {
        lines.addReplaced(List.of(place(4, 2)));
        lines.addReplaced(List.of(place(5, 3), place(6, 1)));
        lines.addReplaced(IntStream.range(20, 31).mapToObj(r -> place(r, r - 20)).toList());
        assertEquals(List.of("tutti: rank 4 takes the place of rank 2", "tutti: ranks 5 and 6 take the places of ranks 3 and 1",
            "tutti: ranks 20, 21, 22, 23, 24, 25, 26, 27 and 3 more take the places of ranks 0, 1, 2, 3, 4, 5, 6, 7 and 3 more"), printed(false));
        assertEquals(Long.MAX_VALUE, lines.nextAt());
    }

    @Test
    void shouldTellOfAPlaceThatWasTakenOnlyAfterTheLossThatWaits() {
        lines.addParts(List.of(1), List.of(2), 3, end("node b/0 was lost").byLossOf(1));
        lines.addReplaced(List.of(place(4, 2)));
        assertEquals(List.of(), printed(false));
        lines.addRank(0, 3, end("rank 0 failed"));
        lines.explainByRank(1, end("rank 2 called System.exit"));
        assertEquals(List.of("tutti: rank 2 called System.exit: the job goes on with 3 ranks", "tutti: rank 4 takes the place of rank 2",
            "tutti: rank 0 failed: the job goes on with 3 ranks"), printed(false));
    }
}
