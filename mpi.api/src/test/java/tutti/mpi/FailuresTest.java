package tutti.mpi;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import programs.FailureErrors;
import programs.FailuresOfNone;
import programs.RevokedComms;
import programs.RevokedIntercomms;
import tutti.runtime.model.LossMode;

/** The calls with which a program continues after a failure, on ranks of which none fails. Jobs that end and jobs that go on when a rank fails. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailuresTest {

    private static void run(final int ranks, final int nodes, final LossMode onLoss, final Class<?> program) throws Exception {
        Programs.run(ranks, nodes, Map.of(LossMode.PARAMETER, onLoss.toString()), program);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, REPORT", "2, 1, REPORT", "3, 1, END", "5, 3, REPORT", "8, 2, REPORT"})
    void shouldAgreeAndShrinkWithoutFailures(final int ranks, final int nodes, final LossMode onLoss) throws Exception {
        run(ranks, nodes, onLoss, FailuresOfNone.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, REPORT", "2, 2, REPORT", "3, 1, END"})
    void shouldThrowTheTypesOfErrorsThatBelongToTheirClasses(final int ranks, final int nodes, final LossMode onLoss) throws Exception {
        run(ranks, nodes, onLoss, FailureErrors.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, REPORT", "2, 1, REPORT", "3, 1, END", "4, 2, REPORT", "5, 3, REPORT"})
    void shouldEndTheCallsOnARevokedCommunicator(final int ranks, final int nodes, final LossMode onLoss) throws Exception {
        run(ranks, nodes, onLoss, RevokedComms.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1, REPORT", "2, 2, END", "5, 1, REPORT", "5, 3, REPORT"})
    void shouldEndTheCallsOnARevokedIntercommunicator(final int ranks, final int nodes, final LossMode onLoss) throws Exception {
        run(ranks, nodes, onLoss, RevokedIntercomms.class);
    }
}
