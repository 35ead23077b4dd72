package com.example.coll.nest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Call;
import tutti.coll.Level;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.VirtualModule;

/** Proves the algorithms without running them; the set-up divides communicators by sockets, JVMs, hosts and switches. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NestAlgorithmsTest {
    private static VirtualModule on(final NodeLayout layout) {
        return VirtualModule.of(new NestModule(), new BasicModule(), layout);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 24})
    void shouldDoWhatTheOperationsDemandAtAnyDepth(final int size) {
        for (final NodeLayout layout : List.of(NodeLayout.blocks(size, Math.min(size, 6)), NodeLayout.interleaved(size, 2),
            NodeLayout.uneven(size))) {
            try (VirtualModule virtual = on(layout)) {
                assertEquals(Optional.empty(), virtual.declined());
                prove(Operation.BCAST, virtual);
                prove(Operation.ALLREDUCE, virtual);
            }
        }
    }

    private static <C extends Call> void prove(final Operation<C> operation, final VirtualModule virtual) {
        PlanChecker.prove(operation, virtual, NestInstance.NAME, CallCases.of(operation, virtual.size(), List.of(0, 1, 5), 0, virtual.size() - 1)
            .stream().filter(calls -> calls.getFirst().reduction() == null || calls.getFirst().reduction().isCommutative()).toList());
    }

    /** Eight ranks on eight hosts of two racks: without the levels, the data would cross between the racks more often. */
    @Test
    void shouldSendTheDataToEachRackOnce() {
        final List<Integer> hosts = List.of(0, 1, 2, 3, 4, 5, 6, 7);
        final List<String> racks = List.of("x", "y", "x", "y", "x", "y", "x", "y");
        final NodeLayout layout = new NodeLayout(hosts, List.of(Level.of(Level.JVM, hosts), Level.of(Level.HOST, hosts),
            Level.of(Level.switches(1), racks)));
        try (VirtualModule virtual = on(layout)) {
            final CostSimulator cost = CostSimulator.of(Operation.BCAST, virtual, NestInstance.NAME, Collections.nCopies(8, new Call.Bcast(100, 3)));
            assertEquals(7, cost.messages());
            assertEquals(700, cost.bytes());
        }
    }

    @Test
    void shouldOfferWhatItDeclares() {
        final ModuleDeclaration declared = ModuleDeclaration.of(NestModule.class);
        assertEquals(List.of("allreduce", "bcast"), declared.operations());
        assertEquals(List.of(), declared.mismatches());
    }

    @Test
    void shouldDeclineWhatNoLevelDivides() {
        assertEquals("intercommunicators are not supported: their groups are not nested", declined(new SingleRankComm(4, true)));
        assertEquals("no level of locality divides the ranks: ranks=2", declined(new SingleRankComm(2, false)));
        assertEquals("no level of locality divides the ranks: ranks=1", declined(new SingleRankComm(1, false)));
    }

    private static String declined(final SingleRankComm comm) {
        return assertInstanceOf(QueryResult.Declined.class, new NestModule().query(comm)).reason();
    }
}
