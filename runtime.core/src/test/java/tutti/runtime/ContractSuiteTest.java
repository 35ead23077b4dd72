package tutti.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.select.Explanation;

/** The suite notices modules that break the contract, and tells who was tried. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ContractSuiteTest {
    /** A module that broadcasts in some way, and nothing else. */
    private record Broadcasts(Algorithm<Call.Bcast> algorithm) implements CollModule {
        @Override
        public Verdict query(final CollComm comm) {
            return Verdict.usable(50, Table.builder().intra(Operation.BCAST, "bcast", algorithm).build());
        }
    }

    private static List<CollModule> with(final Algorithm<Call.Bcast> algorithm) {
        return List.of(new BasicModule(), new Broadcasts(algorithm));
    }

    private static List<CollModule> right() {
        return with((call, plan) -> {
            if (plan.rank() != call.root()) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
            } else {
                for (int i = 1; i < plan.size(); i++) {
                    plan.send(Buffer.RECV.at(0, call.bytes()), (call.root() + i) % plan.size());
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTellWhoServed(final int nodes) throws Exception {
        final Shape shape = new Shape(3, nodes);
        assertServed(ContractSuite.blocking(shape, Map.of(), right()), "Broadcasts 1.0.0");
        assertServed(ContractSuite.requests(shape, Map.of("coll.select", "^Broadcasts"), right()), "BasicModule 1.0.0");
    }

    private static void assertServed(final List<Explanation> explanations, final String bcast) {
        final Map<String, String> served = explanations.stream().collect(Collectors.toMap(Explanation::operation, Explanation::module));
        assertEquals(bcast, served.remove("bcast"));
        assertEquals(Operation.values().size() - 1, served.size());
        served.values().forEach(m -> assertEquals("BasicModule 1.0.0", m));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNoticeAWrongAnswer(final int nodes) {
        final List<CollModule> wrong = with((call, plan) -> { });
        final Shape shape = new Shape(2, nodes);
        assertNamesBcast(assertThrows(AssertionError.class, () -> ContractSuite.blocking(shape, Map.of(), wrong)));
        assertNamesBcast(assertThrows(AssertionError.class, () -> ContractSuite.requests(shape, Map.of(), wrong)));
    }

    private static void assertNamesBcast(final AssertionError e) {
        assertTrue(e.getMessage().contains("bcast ==> array contents differ"), e::toString);
    }
}
