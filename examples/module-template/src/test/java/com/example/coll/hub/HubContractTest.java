package com.example.coll.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.introspect.Explanation;

/** Runs all collectives in the runtime against their contract. Module basic serves the operations that the module leaves out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HubContractTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new HubModule());
    private static final Map<String, String> PARAMETERS = Map.of("coll.hub.ranks", "16");
    private static final Set<String> OWN = Set.of("barrier", "bcast");

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractBlocking(final Shape shape) throws Exception {
        assertServed(ContractSuite.blocking(shape, PARAMETERS, MODULES));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        assertEquals(Set.of("barrier=" + DisseminationBarrier.NAME, "bcast=" + LinearBcast.NAME),
            ContractSuite.everyAlgorithm(shape, HubModule.class, PARAMETERS, MODULES));
    }

    private static void assertServed(final List<Explanation> explanations) {
        for (final Explanation e : explanations) {
            assertEquals(OWN.contains(e.operation()) ? "HubModule 1.0.0" : "BasicModule 1.0.0", e.module(), e::toString);
        }
    }
}
