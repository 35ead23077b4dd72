package tutti.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests agreements of few ranks in all orders of events, see {@link AgreementModel}. The numbers of states change with the algorithm only. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class AgreementModelTest {
    private static void check(final int ranks, final int deaths, final boolean votesLate, final long states) {
        final AgreementModel model = new AgreementModel(ranks, deaths).explore(votesLate);
        assertEquals(states, model.states(), model::toString);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 2", "2, 1, 31", "3, 2, 817", "4, 1, 3344", "4, 3, 41101", "5, 1, 32056", "5, 2, 940161"})
    void shouldAgreeInAllOrders(final int ranks, final int deaths, final long states) {
        check(ranks, deaths, true, states);
    }

    @ParameterizedTest
    @CsvSource({"5, 4, 248697"})
    void shouldAgreeInAllOrdersAfterVotes(final int ranks, final int deaths, final long states) {
        check(ranks, deaths, false, states);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"5, 4, 4794912", "6, 1, 234864"})
    void shouldAgreeInAllOrdersOfMoreRanks(final int ranks, final int deaths, final long states) {
        check(ranks, deaths, true, states);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"6, 2, 774756", "6, 3, 6281167", "7, 1, 70055", "8, 1, 229480"})
    void shouldAgreeInAllOrdersOfMoreRanksAfterVotes(final int ranks, final int deaths, final long states) {
        check(ranks, deaths, false, states);
    }
}
