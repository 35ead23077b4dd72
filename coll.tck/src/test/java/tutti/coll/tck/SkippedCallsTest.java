package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Call;
import tutti.coll.Operation;

/** The runtime skips a call by what one rank knows, so a call of such an operation has data on all ranks or on none. */
class SkippedCallsTest {

    @Test
    void shouldHaveDataOnAllRanksOrOnNone() {
        Operation.values().stream().filter(Operation::skipsEmpty).forEach(SkippedCallsTest::check);
    }

    private static <C extends Call> void check(final Operation<C> operation) {
        for (int size = 1; size <= 5; size++) {
            for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
                final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
                assertTrue(empty == 0 || empty == size, () -> operation + " may be skipped on some ranks alone: " + calls);
            }
        }
    }
}
