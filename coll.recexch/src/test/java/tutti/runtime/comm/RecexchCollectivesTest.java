package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.recexch.RecexchModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.select.Explanation;

/** The contract of the collectives over modules recexch and basic, in the runtime: on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RecexchCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new RecexchModule());
    private static final String K = "coll.recexch.k";
    /** What the module takes by itself. */
    private static final Map<String, String> FIRST = Map.of("allgather", "doubling", "allgatherv", "doubling", "allreduce", "doubling",
        "barrier", "doubling", "bcast", "scatter_allgather", "exscan", "doubling", "reduce", "rabenseifner", "reduce_scatter", "halving",
        "reduce_scatter_block", "halving", "scan", "doubling");
    /** What it has besides. */
    private static final Map<String, String> OTHERS = Map.of("allreduce", "rabenseifner", "reduce_scatter", "halving_in_order",
        "reduce_scatter_block", "halving_in_order");

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractWithRequests(final Shape shape) throws Exception {
        assertServed(FIRST, ContractSuite.requests(shape, Map.of(K, "3"), MODULES));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractWithPersistentRequestsAndWhatIsPicked(final Shape shape) throws Exception {
        final Map<String, String> parameters = new TreeMap<>();
        OTHERS.forEach((operation, algorithm) -> parameters.put("coll." + operation, "RecexchModule/" + algorithm));
        final Map<String, String> expected = new TreeMap<>(FIRST);
        expected.putAll(OTHERS);
        assertServed(expected, ContractSuite.persistent(shape, parameters, MODULES));
    }

    static Stream<Shape> someShapes() {
        return Stream.of(new Shape(2, 1), new Shape(3, 2), new Shape(5, 3), new Shape(8, 2), new Shape(7, 1));
    }

    @ParameterizedTest
    @MethodSource("someShapes")
    void shouldKeepTheContractBlockingWithCanonicalBrackets(final Shape shape) throws Exception {
        final Map<String, String> expected = new TreeMap<>(FIRST);
        expected.put("allreduce", "canonical");
        assertServed(expected, ContractSuite.blocking(shape, Map.of("coll.allreduce", "RecexchModule/canonical"), MODULES));
    }

    static Stream<DerivedTypesSuite.Shape> gaps() {
        return DerivedTypesSuite.shapes().filter(s -> s.ranks() == 3 || s.ranks() == 6);
    }

    @ParameterizedTest
    @MethodSource("gaps")
    void shouldKeepTheContractWithTypesThatHaveGaps(final DerivedTypesSuite.Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, Map.of("coll.allreduce", "RecexchModule/rabenseifner"), MODULES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMoveMuchData(final int nodes) throws Exception {
        final int count = 1_000_003;
        run(5, nodes, Map.of("coll.allreduce", "RecexchModule/rabenseifner"), rank -> {
            final Communicator c = rank.world();
            final int[] data = new int[count];
            Arrays.setAll(data, i -> i * (c.rank() + 1));
            c.blocking().allreduce(Communicator.IN_PLACE, data, count, Datatype.INT, Op.SUM);
            final int[] sums = new int[count];
            Arrays.setAll(sums, i -> 15 * i);
            assertArrayEquals(sums, data);
            final int[] copy = c.rank() == 3 ? sums : new int[count];
            c.blocking().bcast(copy, count, Datatype.INT, 3);
            assertArrayEquals(data, copy);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldSayWhyItDeclinesAParameter(final int k) throws Exception {
        run(3, 1, Map.of(K, "" + k), rank -> {
            for (final Explanation e : rank.world().explain()) {
                assertEquals("BasicModule 1.0.0", e.module());
                assertTrue(e.others().getFirst().reason().startsWith("declined: radix too small: coll.recexch.k=" + k + ", least=2"), e::toString);
            }
        });
    }

    private static void run(final int ranks, final int nodes, final Map<String, String> parameters, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, parameters, MODULES), body);
        }
    }

    private static void assertServed(final Map<String, String> expected, final List<Explanation> explanations) {
        for (final Explanation e : explanations) {
            final String algorithm = expected.get(e.operation());
            assertEquals(algorithm == null ? "BasicModule 1.0.0" : "RecexchModule 1.0.0", e.module(), e::toString);
            assertTrue(algorithm == null || algorithm.equals(e.algorithm()), e::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 8})
    void shouldGiveTheBitsOfTheCanonicalBracketsOnEveryNumberOfNodes(final int ranks) throws Exception {
        for (int nodes = 1; nodes <= 3; nodes++) {
            ReproducibleSuite.run(new Shape(ranks, nodes), Map.of(), MODULES);
        }
    }
}
