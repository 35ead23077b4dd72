package com.example.coll.nearest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.ThreadLevel;
import tutti.coll.advanced.ThreadRange;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.ModuleDeclaration;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.SingleRankComm;
import tutti.coll.tck.VirtualModule;

/** Proves the algorithm without running it; the set-up runs on all ranks. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NearestAlgorithmsTest {
    /** Short segments, so that calls of few bytes have several. */
    private static final Map<String, String> PARAMETERS = Map.of("coll.nearest.segment", "3");

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9})
    void shouldDoWhatTheOperationDemands(final int size) {
        for (final NodeLayout layout : NodeLayout.all(size)) {
            try (VirtualModule virtual = VirtualModule.of(new NearestModule(), new BasicModule(), layout, PARAMETERS)) {
                assertEquals(Optional.empty(), virtual.declined());
                PlanChecker.prove(Operation.BCAST, virtual, NearestBcast.NAME,
                    CallCases.of(Operation.BCAST, size, CallCases.counts(size), CallCases.allRoots(size)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8, 16})
    void shouldAgreeOnTheOrder(final int size) {
        final Queue<NearestInstance> instances = new ConcurrentLinkedQueue<>();
        final CollModule observed = comm -> {
            final QueryResult.Usable usable = assertInstanceOf(QueryResult.Usable.class, new NearestModule().query(comm));
            instances.add((NearestInstance) usable.instance());
            return usable;
        };
        try (VirtualModule virtual = VirtualModule.of(observed, new BasicModule(), NodeLayout.interleaved(size, 2))) {
            assertEquals(size, instances.size(), virtual::toString);
            for (final int root : CallCases.allRoots(size)) {
                final List<Integer> chain = instances.element().times().chain(root);
                assertEquals(size, chain.stream().distinct().count());
                assertEquals(root, chain.getFirst());
                instances.forEach(i -> assertEquals(chain, i.times().chain(root)));
            }
        }
    }

    /** Ranks 0 and 2 are near to each other, and so are 1 and 3. */
    @Test
    void shouldFollowTheNearestRank() {
        final RoundTrips times = RoundTrips.of(new long[] {0, 9, 1, 8}, new long[] {9, 0, 7, 2}, new long[] {1, 7, 0, 9}, new long[] {8, 2, 9, 0});
        assertEquals(List.of(0, 2, 1, 3), times.chain(0));
        assertEquals(List.of(1, 3, 0, 2), times.chain(1));
        assertEquals(List.of(2, 0, 1, 3), RoundTrips.unknown(4).chain(2));
    }

    @Test
    void shouldSendAsManyMessagesAsItsJavadocSays() {
        final NearestBcast bcast = new NearestBcast(RoundTrips.unknown(7), 300, 1000);
        final CostSimulator cost = CostSimulator.of(bcast, Collections.nCopies(7, new Call.Bcast(1000, 5)));
        assertEquals(6 * 4, cost.messages());
        assertEquals(6 * 1000, cost.bytes());
    }

    @Test
    void shouldOfferWhatItDeclares() {
        final ModuleDeclaration declared = ModuleDeclaration.of(NearestModule.class, NearestParameters.class);
        assertEquals(List.of("bcast"), declared.operations());
        assertEquals(List.of(), declared.mismatches());
    }

    @Test
    void shouldDeclineWhatItDoesNotMeasure() {
        assertDeclined("intercommunicators are not supported: a chain has the ranks of one group", new SingleRankComm(4, true));
        assertDeclined("only one rank", new SingleRankComm(1, false));
        assertDeclined("too many ranks to measure: ranks=17, coll.nearest.ranks=16", new SingleRankComm(17, false));
    }

    private static void assertDeclined(final String reason, final SingleRankComm comm) {
        assertEquals(reason, assertInstanceOf(QueryResult.Declined.class, new NearestModule().query(comm)).reason());
    }

    @Test
    void shouldLeaveMultipleThreadsOutInQuietJobs() {
        assertEquals(Optional.of(ThreadRange.ALL), threads(Map.of()));
        assertEquals(Optional.of(new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.SERIALIZED)), threads(Map.of("coll.nearest.quiet", "true")));
    }

    private static Optional<ThreadRange> threads(final Map<String, String> parameters) {
        return new NearestModule().threads(new SingleRankComm(4, false, parameters).job(), ThreadLevel.MULTIPLE);
    }
}
