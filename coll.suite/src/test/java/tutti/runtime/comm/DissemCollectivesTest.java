package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.TestedShapes;
import tutti.runtime.introspect.Explanation;

/** Runs the collectives of modules dissem and basic in the runtime against their contract, on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DissemCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new DissemModule());
    private static final Set<String> ALGORITHMS = Set.of("allgather=bruck", "allgatherv=bruck", "alltoall=bruck", "barrier=dissemination");
    private static final String RADIX = "coll.dissem.k";

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    /** Runs each number of ranks with several radices. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        final Map<String, String> parameters = Map.of(RADIX, Integer.toString(2 + (shape.ranks() + shape.nodes()) % 4));
        assertEquals(ALGORITHMS, ContractSuite.everyAlgorithm(shape, DissemModule.class, parameters, MODULES));
    }

    @Test
    void shouldKeepTheContractWithTypesThatHaveGaps() throws Exception {
        for (final DerivedTypesSuite.Shape shape : DerivedTypesSuite.shapes().filter(s -> s.ranks() == 5).toList()) {
            DerivedTypesSuite.run(shape, Map.of(RADIX, "3"), MODULES);
        }
    }

    @Test
    void shouldSayWhyItDeclinesAParameter() throws Exception {
        ModuleRuns.run(3, 1, Map.of(RADIX, "1"), MODULES, rank -> {
            for (final Explanation e : rank.world().engine().explain()) {
                assertEquals("BasicModule 1.0.0", e.module());
                final String reason = e.others().getFirst().reason();
                assertTrue(reason.startsWith("declined: radix too small: coll.dissem.k=1, least=2"), reason);
            }
        });
    }
}
