package com.example.coll.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.SingleRankComm;

/** Proves the algorithms of the module without running them. */
class HubAlgorithmsTest {
    private static final int MOST_RANKS = 17;

    private static AlgorithmTable table(final int size, final Map<String, String> parameters) {
        return SingleRankComm.tableOf(new HubModule(), new SingleRankComm(size, false, parameters));
    }

    private static AlgorithmTable everything(final int size) {
        return table(size, Map.of("coll.hub.ranks", Integer.toString(size)));
    }

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(everything(1));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemands(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            algorithm.prove(everything(size), size, CallCases.counts(size), CallCases.allRoots(size));
        }
    }

    @Test
    void shouldSendAsManyMessagesAsItsJavadocSays() {
        final Call.Bcast call = new Call.Bcast(1000, 0);
        assertEquals(6, CostSimulator.of(new LinearBcast(), 7, call).messages());
        assertEquals(7 * 3, CostSimulator.of(new DisseminationBarrier(), 7, new Call.Barrier()).messages());
    }

    @Test
    void shouldOfferWhatItDeclares() {
        assertEquals(List.of(Operation.BARRIER, Operation.BCAST), algorithms().map(AlgorithmProof::operation).toList());
        final ModuleDeclaration declared = ModuleDeclaration.of(HubModule.class, HubParameters.class);
        assertEquals(List.of("barrier", "bcast"), declared.operations());
        assertEquals(List.of(), declared.mismatches());
    }

    @Test
    void shouldLeaveBcastOutBeyondTheParameter() {
        assertNotNull(table(8, Map.of()).intra(Operation.BCAST));
        assertNull(table(9, Map.of()).intra(Operation.BCAST));
        assertNull(table(1, Map.of("coll.hub.ranks", "0")).intra(Operation.BCAST));
        assertNotNull(table(1, Map.of("coll.hub.ranks", "0")).intra(Operation.BARRIER));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertEquals("intercommunicators are not supported: two groups have no common root",
            assertInstanceOf(QueryResult.Declined.class, new HubModule().query(new SingleRankComm(4, true))).reason());
    }
}
