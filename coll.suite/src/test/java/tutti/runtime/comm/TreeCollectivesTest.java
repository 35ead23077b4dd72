package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.TestedShapes;
import tutti.runtime.introspect.Explanation;

/** Contract tests of the collectives of modules tree and basic in the runtime, on one node and on several, by each algorithm. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TreeCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new TreeModule());
    private static final Set<String> TWO_SHAPES = Set.of("allreduce", "barrier", "bcast", "gather", "reduce", "scatter");
    private static final Set<String> ALGORITHMS = Set.of("allreduce=knomial", "allreduce=kary", "barrier=knomial", "barrier=kary", "bcast=knomial",
        "bcast=kary", "gather=knomial", "gather=kary", "gatherv=throttled", "reduce=knomial", "reduce=kary", "scatter=knomial", "scatter=kary",
        "scatterv=throttled");

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    /** Tests each number of ranks with one of several radices, in short segments. */
    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        final int k = 2 + (shape.ranks() + shape.nodes()) % 3;
        final Set<String> expected = new HashSet<>(ALGORITHMS);
        if (Integer.bitCount(k) == 1) {
            expected.add("reduce=canonical");
        }
        final Map<String, String> parameters = Map.of("coll.tree.k", Integer.toString(k), "coll.tree.branches", Integer.toString(5 - k % 4),
            "coll.tree.segment", "64", "coll.tree.throttle", "2");
        assertEquals(expected, ContractSuite.everyAlgorithm(shape, TreeModule.class, parameters, MODULES));
    }

    @Test
    void shouldServeReproducibleReductionsByItsCanonicalAlgorithms() throws Exception {
        ModuleRuns.run(3, 1, Map.of("coll.reproducible", "true", "coll.tree.k", "4"), MODULES, rank -> {
            final Map<String, String> served = rank.world().engine().explain().stream().collect(Collectors.toMap(Explanation::operation,
                e -> e.module() + "/" + e.algorithm()));
            assertEquals("TreeModule 1.0.0/canonical", served.get("reduce"));
            assertEquals("TreeModule 1.0.0/knomial", served.get("allreduce"));
        });
    }

    static Stream<DerivedTypesSuite.Shape> typed() {
        return DerivedTypesSuite.shapes().filter(s -> s.nodes() == 2);
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("typed")
    void shouldKeepTheContractWithTypesThatHaveGaps(final DerivedTypesSuite.Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, along(shape.ranks() % 2 == 0 ? "knomial" : "kary", 2, 64), MODULES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"knomial", "kary"})
    void shouldMoveMuchData(final String algorithm) throws Exception {
        ModuleRuns.moveMuchData(3, along(algorithm, 2, 32768), MODULES);
    }

    @Test
    void shouldSayWhyItDeclinesAParameter() throws Exception {
        ModuleRuns.run(3, 1, Map.of("coll.tree.k", "1"), MODULES, rank -> {
            for (final Explanation e : rank.world().engine().explain()) {
                assertEquals("BasicModule 1.0.0", e.module());
                assertTrue(e.others().getFirst().reason().startsWith("declined: parameter too small: coll.tree.k=1, least=2"), e::toString);
            }
        });
    }

    /** Returns parameters that select an algorithm for all operations that have it. */
    private static Map<String, String> along(final String algorithm, final int k, final int segment) {
        final Map<String, String> parameters = new HashMap<>();
        TWO_SHAPES.forEach(o -> parameters.put("coll." + o, "TreeModule/" + algorithm));
        parameters.put("coll.tree." + (algorithm.equals("kary") ? "branches" : "k"), Integer.toString(k));
        parameters.put("coll.tree.segment", Integer.toString(segment));
        parameters.put("coll.tree.throttle", "2");
        return parameters;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 8})
    void shouldGiveTheBitsOfTheCanonicalBracketsOnEveryNumberOfNodes(final int ranks) throws Exception {
        for (int nodes = 1; nodes <= 3; nodes++) {
            ReproducibleSuite.run(new Shape(ranks, nodes), Map.of(), MODULES);
        }
    }
}
