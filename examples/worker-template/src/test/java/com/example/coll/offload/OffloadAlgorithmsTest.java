package com.example.coll.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.SymbolicReduction;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;

/** Proves the algorithms of the module without running them, and runs them in the runtime with their workers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OffloadAlgorithmsTest {
    private static final OffloadModule MODULE = new OffloadModule();
    private static final int MOST_RANKS = 9;

    /** The module as Declarative Services activates it. */
    static {
        MODULE.start();
    }

    /** Makes the module in the way of the suite, which makes one per rank. */
    public static final class Activated implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return MODULE.query(comm);
        }
    }

    @AfterAll
    static void stop() {
        MODULE.stop();
    }

    private static AlgorithmTable table(final int size) {
        return SingleRankComm.tableOf(MODULE, new SingleRankComm(size, false));
    }

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(table(1));
    }

    static Stream<Shape> shapes() {
        return ContractSuite.shapes();
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemands(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            algorithm.prove(table(size), size, CallCases.counts(size), CallCases.allRoots(size));
        }
    }

    @Test
    void shouldSendAsManyMessagesAsItsJavadocSays() {
        final Call.Allreduce call = new Call.Allreduce(new SymbolicReduction(8, true), 1000, false);
        assertEquals(12, CostSimulator.of(new LinearAllreduce(new OffloadEngine()), 7, call).messages());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        assertEquals(Set.of("allreduce=thread", "allreduce=engine"),
            ContractSuite.everyAlgorithm(shape, Activated.class, Map.of(), List.of(new BasicModule(), new Activated())));
    }
}
