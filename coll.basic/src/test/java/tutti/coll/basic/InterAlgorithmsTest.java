package tutti.coll.basic;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CommGroups;
import tutti.coll.tck.PlanChecker;

class InterAlgorithmsTest {
    private static final BasicModule BASIC = new BasicModule();

    static Stream<Operation<?>> operations() {
        return Operation.values().stream().filter(Operation::onIntercommunicators);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfTwoGroups(final Operation<?> operation) {
        for (int first = 1; first <= 6; first++) {
            for (int second = 1; second <= 6; second++) {
                assertRight(operation, first, second, List.of(0, 1, 7));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfLargeGroups(final Operation<?> operation) {
        assertRight(operation, 1, 33, List.of(5));
        assertRight(operation, 32, 17, List.of(5));
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final int first, final int second, final List<Integer> counts) {
        final CommGroups groups = CommGroups.of(first, second, BASIC);
        PlanChecker.prove(operation, BASIC, groups, CallCases.between(operation, groups, counts));
    }
}
