package com.example.coll.nest;

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

/** Runs the module in the runtime, where it is named after its class. Module basic serves the operations that it leaves out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NestRuntimeTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new NestModule());

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    /** Ranks of tests are not bound to processors, so JVMs are what divides them. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        final boolean isDivided = shape.nodes() > 1 && shape.nodes() < shape.ranks();
        assertEquals(isDivided ? Set.of("allreduce=" + NestInstance.NAME, "bcast=" + NestInstance.NAME) : Set.of(),
            ContractSuite.everyAlgorithm(shape, NestModule.class, Map.of(), MODULES));
    }
}
