package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
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
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.TestedShapes;
import tutti.runtime.introspect.Explanation;

/** Contract tests of the collectives of modules recexch and basic in the runtime, on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RecexchCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new RecexchModule());
    private static final String K = "coll.recexch.k";
    private static final Set<String> ALGORITHMS = Set.of("allgather=doubling", "allgatherv=doubling", "allreduce=doubling", "allreduce=rabenseifner",
        "allreduce=canonical", "barrier=doubling", "bcast=scatter_allgather", "exscan=doubling", "reduce=rabenseifner", "reduce_scatter=halving",
        "reduce_scatter=halving_in_order", "reduce_scatter_block=halving", "reduce_scatter_block=halving_in_order", "scan=doubling");

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    /** Tests each number of ranks with one of several radices. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        final Map<String, String> parameters = Map.of(K, Integer.toString(2 + (shape.ranks() + shape.nodes()) % 3));
        assertEquals(ALGORITHMS, ContractSuite.everyAlgorithm(shape, RecexchModule.class, parameters, MODULES));
    }

    static Stream<DerivedTypesSuite.Shape> gaps() {
        return DerivedTypesSuite.shapes().filter(s -> s.ranks() == 3 || s.ranks() == 6);
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("gaps")
    void shouldKeepTheContractWithTypesThatHaveGaps(final DerivedTypesSuite.Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, Map.of("coll.allreduce", "RecexchModule/rabenseifner"), MODULES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMoveMuchData(final int nodes) throws Exception {
        ModuleRuns.moveMuchData(nodes, Map.of("coll.allreduce", "RecexchModule/rabenseifner"), MODULES);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldSayWhyItDeclinesAParameter(final int k) throws Exception {
        ModuleRuns.run(3, 1, Map.of(K, "" + k), MODULES, rank -> {
            for (final Explanation e : rank.world().engine().explain()) {
                assertEquals("BasicModule 1.0.0", e.module());
                assertTrue(e.others().getFirst().reason().startsWith("declined: radix too small: coll.recexch.k=" + k + ", least=2"), e::toString);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 8})
    void shouldGiveTheBitsOfTheCanonicalBracketsOnEveryNumberOfNodes(final int ranks) throws Exception {
        for (int nodes = 1; nodes <= 3; nodes++) {
            ReproducibleSuite.run(new Shape(ranks, nodes), Map.of(), MODULES);
        }
    }
}
