package tutti.mpi;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import programs.Communicators;
import programs.DifferentOperations;
import programs.IntercommCollectives;
import programs.Intercomms;
import programs.Modes;
import programs.Overloads;
import programs.Topologies;

/** Programs whose calls differ between ranks as the standard allows: lengths of blocks, in place at the root only, neighbours. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CheckTest {

    @ParameterizedTest
    @ValueSource(classes = {Overloads.class, Modes.class, Topologies.class, Communicators.class, Intercomms.class, IntercommCollectives.class})
    void shouldRaiseNoFalseAlarmWithFull(final Class<?> program) throws Exception {
        Programs.run(4, 2, "full", program);
    }

    @Test
    void shouldTellOperationsOfTheProgramApartWithFull() throws Exception {
        Programs.run(3, 2, "full", DifferentOperations.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {Overloads.class, Modes.class, Topologies.class, Communicators.class, Intercomms.class, IntercommCollectives.class})
    void shouldRunWithoutTheCheck(final Class<?> program) throws Exception {
        Programs.run(3, 2, "off", program);
    }
}
