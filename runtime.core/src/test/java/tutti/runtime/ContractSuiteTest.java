package tutti.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.introspect.Explanation;

/** Tests that the suite detects modules that violate the contract, and reports which modules were tested. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ContractSuiteTest {
    private static final Algorithm<Call.Bcast> STAR = (call, plan) -> {
        if (plan.rank() != call.root()) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
        } else {
            for (int i = 1; i < plan.size(); i++) {
                plan.send(Buffer.RECV.at(0, call.bytes()), (call.root() + i) % plan.size());
            }
        }
    };

    /** A module that serves bcast only, by a given algorithm. */
    private record Broadcasts(Algorithm<Call.Bcast> algorithm) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(50, AlgorithmTable.builder().intra(Operation.BCAST, "bcast", algorithm).build());
        }
    }

    private static List<CollModule> with(final Algorithm<Call.Bcast> algorithm) {
        return List.of(new BasicModule(), new Broadcasts(algorithm));
    }

    private static List<CollModule> right() {
        return with(STAR);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldReportTheSelectedModules(final int nodes) throws Exception {
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

    /** A module that serves bcast with two algorithms. */
    private record Chooses(Algorithm<Call.Bcast> first, Algorithm<Call.Bcast> second) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return comm.size() < 2 ? new QueryResult.Declined("alone")
                : QueryResult.usable(50, AlgorithmTable.builder().intra(Operation.BCAST, "one", first).intra(Operation.BCAST, "other", second)
                    .build());
        }
    }

    private static SortedSet<String> everyAlgorithm(final Shape shape, final Algorithm<Call.Bcast> first, final Algorithm<Call.Bcast> second)
        throws Exception {
        return ContractSuite.everyAlgorithm(shape, Chooses.class, Map.of(), List.of(new BasicModule(), new Chooses(first, second)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRunEveryAlgorithmOfAModule(final int nodes) throws Exception {
        final AtomicInteger planned = new AtomicInteger();
        final Algorithm<Call.Bcast> counted = (call, plan) -> {
            planned.incrementAndGet();
            STAR.plan(call, plan);
        };
        assertEquals(Set.of("bcast=one", "bcast=other"), everyAlgorithm(new Shape(3, nodes), STAR, counted));
        assertTrue(planned.get() > 0);
        assertEquals(Set.of(), everyAlgorithm(new Shape(1, 1), STAR, counted));
        assertEquals(Set.of(), ContractSuite.everyAlgorithm(new Shape(3, nodes), Chooses.class, Map.of("coll.select", "^Chooses"),
            List.of(new BasicModule(), new Chooses(STAR, STAR))));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNoticeAWrongAnswerOfAnAlgorithmThatIsNotTheFirst(final int nodes) {
        final Shape shape = new Shape(3, nodes);
        assertNamesBcast(assertThrows(AssertionError.class, () -> everyAlgorithm(shape, STAR, (call, plan) -> {})));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNoticeAWrongAnswer(final int nodes) {
        final List<CollModule> wrong = with((call, plan) -> {});
        final Shape shape = new Shape(2, nodes);
        assertNamesBcast(assertThrows(AssertionError.class, () -> ContractSuite.blocking(shape, Map.of(), wrong)));
        assertNamesBcast(assertThrows(AssertionError.class, () -> ContractSuite.requests(shape, Map.of(), wrong)));
    }

    private static void assertNamesBcast(final AssertionError e) {
        assertTrue(e.getMessage().contains("bcast ==> array contents differ"), e::toString);
    }
}
