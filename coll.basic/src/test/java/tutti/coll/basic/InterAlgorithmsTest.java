package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.VirtualModule;

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

    /** Proves every algorithm of an operation. */
    private static <C extends Call> void assertRight(final Operation<C> operation, final int first, final int second, final List<Integer> counts) {
        final VirtualModule module = VirtualModule.between(BASIC, BASIC, first, NodeLayout.oneNode(first + second));
        for (final String algorithm : module.offers(operation)) {
            PlanChecker.prove(operation, module, algorithm, CallCases.between(operation, module.groups(), counts));
        }
    }

    @Test
    void shouldPreferThatAllRanksCommunicateUnlessOneGroupIsMuchLarger() {
        assertEquals(Map.of("allgather", List.of("slices", "leaders"), "allreduce", List.of("pairs", "slices", "leaders"),
            "barrier", List.of("pairs", "leaders"), "bcast", List.of("leaders", "slices"), "gather", List.of("leaders", "direct"),
            "reduce", List.of("leaders", "slices"), "reduce_scatter_block", List.of("slices", "leaders"), "scatter", List.of("leaders", "direct")),
            offered(2, 3));
        assertEquals(List.of("leaders", "pairs", "slices"), offered(1, 9).get("allreduce"));
        assertEquals(List.of("leaders", "pairs"), offered(17, 2).get("barrier"));
    }

    /** Returns the algorithms of the operations that have several, in their order, for two groups. */
    private static Map<String, List<String>> offered(final int first, final int second) {
        final VirtualModule module = VirtualModule.between(BASIC, BASIC, first, NodeLayout.oneNode(first + second));
        final Map<String, List<String>> offered = new TreeMap<>();
        operations().filter(o -> module.offers(o).size() > 1).forEach(o -> offered.put(o.id(), module.offers(o)));
        return offered;
    }
}
