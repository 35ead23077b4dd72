package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.ring.RingModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.TestedShapes;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ExcludedModule;

/** Contract tests of the collectives of modules ring and basic in the runtime, on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RingCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new RingModule());
    private static final Set<String> ALGORITHMS = Set.of("allgather=ring", "allgatherv=ring", "allreduce=ring", "alltoall=pairwise",
        "alltoall=scattered", "alltoall=interleaved", "alltoallv=pairwise", "alltoallv=scattered", "alltoallv=interleaved",
        "alltoallw=pairwise", "alltoallw=scattered", "alltoallw=interleaved", "bcast=pipeline",
        "exscan=chain", "reduce=chain", "reduce_scatter=ring", "reduce_scatter_block=ring", "scan=chain");
    private static final String SEGMENT = "coll.ring.segment";
    /** Short segments, and few messages at once. */
    private static final Map<String, String> MANY = Map.of(SEGMENT, "64", "coll.ring.throttle", "2");

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithmInManySegments(final Shape shape) throws Exception {
        assertEquals(shape.ranks() < 3 ? Set.of() : ALGORITHMS, ContractSuite.everyAlgorithm(shape, RingModule.class, MANY, MODULES));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 6, 8})
    void shouldLeaveReproducibleReductionsToOtherModules(final int ranks) throws Exception {
        for (int nodes = 1; nodes <= 3; nodes++) {
            ReproducibleSuite.run(new Shape(ranks, nodes), Map.of("coll.allreduce", "RingModule", "coll.reduce_scatter", "RingModule"), MODULES);
        }
    }

    static Stream<DerivedTypesSuite.Shape> rings() {
        return DerivedTypesSuite.shapes().filter(s -> s.ranks() == 5);
    }

    @ParameterizedTest
    @MethodSource("rings")
    void shouldKeepTheContractWithTypesThatHaveGaps(final DerivedTypesSuite.Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, Map.of(SEGMENT, "64"), MODULES);
    }

    static Stream<ContractSuite.Groups> groups() {
        return TestedShapes.groups().filter(g -> g.first() + g.second() >= 7 && g.first() + g.second() < 16 && g.nodes() == 2);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void shouldServeTheGroupsOfIntercommunicators(final ContractSuite.Groups groups) throws Exception {
        for (final Explanation e : ContractSuite.intercommunicators(groups, Map.of(SEGMENT, "64"), MODULES)) {
            assertTrue(e.module() == null || e.module().equals("BasicModule 1.0.0"), e::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMoveMuchData(final int nodes) throws Exception {
        ModuleRuns.moveMuchData(nodes, Map.of(), MODULES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldSayWhyItDeclinesFewRanks(final int ranks) throws Exception {
        ModuleRuns.run(ranks, 1, Map.of(), MODULES, rank -> assertDeclined(rank.world(), "declined: a ring needs 3 ranks: ranks=" + ranks));
    }

    @Test
    void shouldSayWhyItDeclinesAParameter() throws Exception {
        ModuleRuns.run(3, 1, Map.of(SEGMENT, "63"), MODULES,
            rank -> assertDeclined(rank.world(), "declined: segment too short: coll.ring.segment=63, least=64"));
    }

    private static void assertDeclined(final Communicator c, final String reason) {
        for (final Explanation e : c.engine().explain()) {
            assertEquals("BasicModule 1.0.0", e.module());
            final ExcludedModule ring = e.others().getFirst();
            assertEquals("RingModule 1.0.0", ring.module());
            assertTrue(ring.reason().startsWith(reason), ring::reason);
        }
    }
}
