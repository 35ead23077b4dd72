package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.collective.EpochModel.Kind;
import tutti.runtime.collective.EpochModel.Rule;
import tutti.runtime.collective.EpochModel.Setup;

/** Searches all interleavings of ranks that change epochs, with few calls. */
class EpochModelTest {
    private static final String[] WRONG = {"differ", "do not grow", "is not served as decided", "that is closed"};

    private static void search(final Setup setup) {
        assertTrue(EpochModel.search(setup) > setup.calls() * setup.ranks(), "nothing was searched");
    }

    private static void assertFindsViolation(final Setup setup, final String... what) {
        final AssertionError found = assertThrows(AssertionError.class, () -> EpochModel.search(setup));
        assertTrue(Arrays.stream(what).anyMatch(found.getMessage()::contains), found.getMessage());
    }

    private static Setup ofRule(final int ranks, final int window, final Rule rule) {
        return new Setup(ranks, 3, 1, List.of(window), List.of(EpochModel.CHANGE), rule);
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 0", "2, 4, 1", "2, 4, 2", "3, 3, 0", "3, 3, 1", "3, 3, 2", "4, 2, 0", "4, 2, 1", "4, 2, 2"})
    void shouldServeEachCallByOneEpoch(final int ranks, final int calls, final int window) {
        search(new Setup(ranks, calls, 1, List.of(window), List.of(EpochModel.CHANGE), Rule.MAXIMUM));
    }

    @ParameterizedTest
    @CsvSource({"2, 3, 0", "2, 3, 1", "2, 3, 2", "3, 1, 0", "3, 1, 1"})
    void shouldServeEachCallByOneEpochAfterASecondChange(final int ranks, final int calls, final int window) {
        search(new Setup(ranks, calls, 1, List.of(window), EpochModel.times(2, EpochModel.CHANGE), Rule.MAXIMUM));
    }

    @Test
    void shouldAgreeWhereRanksHaveDifferentWindows() {
        search(new Setup(2, 3, 1, List.of(0, 2), EpochModel.times(2, EpochModel.CHANGE), Rule.MAXIMUM));
        search(new Setup(3, 2, 1, List.of(2, 0, 1), List.of(EpochModel.CHANGE), Rule.MAXIMUM));
    }

    @Test
    void shouldAgreeWhereThreadsLookUpTheirCallsInAnyOrder() {
        search(new Setup(2, 3, 3, List.of(0), List.of(EpochModel.CHANGE), Rule.MAXIMUM));
        search(new Setup(2, 3, 2, List.of(1), EpochModel.times(2, EpochModel.CHANGE), Rule.MAXIMUM));
        search(new Setup(3, 2, 2, List.of(0), List.of(EpochModel.CHANGE), Rule.MAXIMUM));
    }

    @Test
    void shouldKeepTheEpochWhereARankTakesNoPart() {
        search(new Setup(3, 2, 1, List.of(0), List.of(EpochModel.NO_CHANGE), Rule.MAXIMUM));
        search(new Setup(2, 3, 1, List.of(0), List.of(EpochModel.NO_CHANGE, EpochModel.CHANGE), Rule.MAXIMUM));
        search(new Setup(2, 3, 1, List.of(0), List.of(EpochModel.CHANGE, EpochModel.NO_CHANGE), Rule.MAXIMUM));
    }

    @Test
    void shouldPrepareEachCallInOneEpochThatIsOpen() {
        search(new Setup(2, 2, 2, List.of(0), List.of(EpochModel.PREPARED_CHANGE), Rule.MAXIMUM));
        search(new Setup(2, 1, 1, List.of(1), EpochModel.times(2, EpochModel.PREPARED_CHANGE), Rule.MAXIMUM));
        search(new Setup(3, 1, 1, List.of(0), List.of(EpochModel.PREPARED_CHANGE), Rule.MAXIMUM));
    }

    @Test
    void shouldFindThatPreparedCallsMayNotBeProposedLast() {
        assertFindsViolation(new Setup(2, 2, 1, List.of(0),
            List.of(List.of(Kind.PROPOSE, Kind.PROPOSE_PREPARED, Kind.DECIDE, Kind.DECIDE_PREPARED, Kind.ASK, Kind.REACHED)), Rule.MAXIMUM), WRONG);
    }

    @Test
    void shouldFindThatRanksMayNotDecideAlone() {
        assertFindsViolation(ofRule(2, 0, (limits, rank) -> limits[rank]), WRONG);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void shouldFindThatNoLowerCallMayBeTheFirst(final int window) {
        assertFindsViolation(ofRule(2, window, (limits, rank) -> Arrays.stream(limits).max().orElseThrow() - 1), WRONG);
        assertFindsViolation(ofRule(3, window, (limits, rank) -> Arrays.stream(limits).min().orElseThrow()), WRONG);
    }

    @Test
    void shouldFindThatADecisionIsMissing() {
        assertFindsViolation(new Setup(2, 2, 1, List.of(0), List.of(List.of(Kind.PROPOSE)), Rule.MAXIMUM), "does not end");
    }
}
