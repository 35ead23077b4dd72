package com.example.coll.aggregate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.SymbolicReduction;
import tutti.coll.tck.VirtualModule;

/** Proves the algorithms without running them; the set-up runs on all ranks. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AggregateAlgorithmsTest {
    private static final Call.Allreduce CALL = new Call.Allreduce(new SymbolicReduction(8, true), 100, false);

    private static VirtualModule module(final int size, final Map<String, String> parameters) {
        final VirtualModule virtual = VirtualModule.of(new AggregateModule(), new BasicModule(), NodeLayout.onePerNode(size), parameters);
        assertEquals(Optional.empty(), virtual.declined());
        return virtual;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 7, 8})
    void shouldDoWhatTheOperationsDemand(final int size) {
        try (VirtualModule virtual = module(size, Map.of("coll.aggregate.limit", "16"))) {
            for (final String algorithm : List.of("device", "checked")) {
                PlanChecker.prove(Operation.ALLREDUCE, virtual, algorithm, CallCases.of(Operation.ALLREDUCE, size, CallCases.counts(size)));
            }
            PlanChecker.prove(Operation.BARRIER, virtual, "device", CallCases.of(Operation.BARRIER, size, CallCases.counts(size)));
        }
    }

    @Test
    void shouldNeedNoMessagesForWhatTheDeviceDoes() {
        try (VirtualModule virtual = module(5, Map.of())) {
            final CostSimulator device = CostSimulator.of(Operation.ALLREDUCE, virtual, "device", Collections.nCopies(5, CALL));
            assertEquals(0, device.messages());
            assertEquals(10 + 800 * 2, device.time(10, 2, 3));
            final Call.Allreduce ofProgram = new Call.Allreduce(new SymbolicReduction(8, false), 100, false);
            assertTrue(CostSimulator.of(Operation.ALLREDUCE, virtual, "device", Collections.nCopies(5, ofProgram)).messages() > 0);
        }
    }

    @Test
    void shouldNeedEveryOffloadedTask() {
        try (VirtualModule virtual = module(3, Map.of())) {
            assertEquals(List.of(), PlanMutations.mutateEveryTask(Operation.ALLREDUCE, virtual, "checked", Collections.nCopies(3, CALL)).survived());
        }
    }

    @Test
    void shouldOfferWhatItDeclares() {
        final ModuleDeclaration declared = ModuleDeclaration.of(AggregateModule.class, AggregateParameters.class);
        assertEquals(List.of("allreduce", "barrier"), declared.operations());
        assertEquals(List.of(), declared.mismatches());
    }

    @Test
    void shouldDeclineWhatTheDeviceNeverServes() {
        assertDeclined("intercommunicators are not supported: the device serves one group", new SingleRankComm(4, true));
        assertDeclined("only one rank", new SingleRankComm(1, false));
    }

    private static void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, new AggregateModule().query(comm)).reason());
    }
}
