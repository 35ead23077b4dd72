package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;

@Timeout(120)
class ModuleVerifierTest {
    private static CollModule bcast(final String name, final Algorithm<Call.Bcast> algorithm) {
        return comm -> QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.BCAST, "linear", Plain::bcast)
            .intra(Operation.BCAST, name, algorithm)
            .build());
    }

    private static VerificationReport verify(final CollModule module) {
        return new ModuleVerifier(module, new Plain()).run(ModuleVerifier.Extent.brief());
    }

    @Test
    void shouldCountWhatItProved() {
        final VerificationReport report = verify(bcast("other", Plain::bcast));
        assertTrue(report.isSound(), report::toString);
        assertEquals(List.of("linear", "other"), report.proofs().stream().map(VerificationReport.Proof::algorithm).toList());
        // 1 rank: 3 counts in both forms; 2 to 5 ranks: also on 2 layouts with 2 roots
        final long calls = 6 + 4 * 2 * 2 * 6;
        assertEquals(calls, report.proofs().getFirst().calls());
        assertEquals(6 + 2 * 2 * 6 * (2 + 3 + 4 + 5), report.proofs().getFirst().plans());
        assertEquals(2 * report.proofs().getFirst().tasks(), report.tasks());
        assertEquals("bcast/linear: sound: calls=" + calls + ", plans=342, tasks=" + report.tasks() / 2,
            report.proofs().getFirst().toString());
    }

    @Test
    void shouldReportTheFirstCounterExampleOfEachAlgorithm() {
        final VerificationReport report = verify(bcast("swapped", (call, plan) -> {
            if (plan.rank() == call.root()) {
                Plain.bcast(call, plan);
            } else if (plan.size() < 3) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
            } else {
                plan.recv(Buffer.RECV.at(0, call.bytes()), (plan.rank() + 1) % plan.size());
            }
        }));
        assertFalse(report.isSound());
        assertEquals(2, report.proofs().size());
        assertEquals(Optional.of("bcast/swapped: no match for message 0 (SEND RECV[0..0) after []): size=3, rank=0, task=0, peer=1, "
            + "call=Bcast[bytes=0, root=0], nodes=[0, 0, 0]"), report.problem());
        assertEquals(null, report.proofs().getFirst().counterExample());
    }

    @Test
    void shouldReportAFailureWithoutAMessage() {
        final ModuleVerifier.Extent failing = new ModuleVerifier.Extent(List.of(1), n -> {
            throw new IllegalStateException();
        }, List.of(), n -> List.of(), n -> new int[0]);
        assertEquals(Optional.of("java.lang.IllegalStateException"), new ModuleVerifier(bcast("other", Plain::bcast), null).run(failing).problem());
    }

    @Test
    void shouldReportWhereTheModuleDeclines() {
        final CollModule pairs = comm -> comm.size() != 2 ? new QueryResult.Declined("only two") : new Plain().query(comm);
        final VerificationReport report = verify(pairs);
        assertTrue(report.declined().contains(new VerificationReport.Declined("nodes=[0, 1, 0]", "only two")), report::toString);
        assertTrue(report.proofs().getFirst().calls() > 0, report::toString);
    }

    @Test
    void shouldAbandonAPlanThatDoesNotFinish() {
        final CountDownLatch ever = new CountDownLatch(1);
        final CollModule stuck = bcast("stuck", (call, plan) -> {
            while (ever.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        final VerificationReport report = new ModuleVerifier(stuck, null, Map.of(), ModuleVerifier.MAX_TASKS, Duration.ofMillis(300))
            .run(ModuleVerifier.Extent.brief());
        ever.countDown();
        assertEquals(Optional.of("takes too long: 300 ms of processor time, at bcast/stuck, nodes=[0]"), report.problem());
    }

    @Test
    void shouldRefuseAPlanThatIsTooLong() {
        final VerificationReport report = new ModuleVerifier(bcast("long", (call, plan) -> {
            while (plan.rank() == 0) {
                plan.fence();
            }
        }), null, Map.of(), 1000, Duration.ofSeconds(30)).run(ModuleVerifier.Extent.brief());
        assertEquals(Optional.of("bcast/long: planning failed: java.lang.IllegalStateException: plan too long: limit=1000: size=1, rank=0, "
            + "task=1000, call=Bcast[bytes=0, root=0], nodes=[0]"), report.problem());
    }

    @Test
    void shouldRefuseAPlanThatReservesMoreMemoryThanItsCallCanNeed() {
        final VerificationReport report = verify(bcast("hoarding", (call, plan) -> plan.scratch(1L << 50)));
        assertEquals(Optional.of("bcast/hoarding: planning failed: java.lang.IllegalStateException: too much scratch memory: bytes=1125899906842624, "
            + "after=0, limit=67108864: size=1, rank=0, task=0, call=Bcast[bytes=0, root=0], nodes=[0]"), report.problem());
    }

    @Test
    void shouldReportASetUpThatFails() {
        final CollModule broken = comm -> {
            throw new IllegalArgumentException("no way");
        };
        assertEquals(Optional.of("set-up failed: rank=0: java.lang.IllegalArgumentException: no way, nodes=[0]"), verify(broken).problem());
    }

    /** The algorithm combines from the first rank up. Its brackets are canonical only for 1, 2 and 3 ranks. */
    @Test
    void shouldCheckTheReductionOrderThatAnAlgorithmDeclares() {
        assertTrue(verify(reducing(ReductionOrder.RANKS)).isSound());
        final String found = verify(reducing(ReductionOrder.CANONICAL)).problem().orElse("sound");
        assertTrue(found.startsWith("reduce/linear: wrong result: want=ranks 0 to 3 from byte 0 at RECV[0..4), found=(((0 1) 2) 3) from byte 0: "
            + "size=4, rank=0, task="), found);
        assertTrue(found.contains(", peer=3, "), found);
    }

    private static CollModule reducing(final ReductionOrder order) {
        return comm -> QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.REDUCE, "linear", ModuleVerifierTest::toAnyRoot, order)
            .build());
    }

    private static void toAnyRoot(final Call.Reduce call, final Plan plan) {
        if (plan.rank() != call.root()) {
            plan.send(call.input(), call.root());
            return;
        }
        final BufferRange into = Buffer.RECV.at(0, call.bytes());
        final BufferRange own = plan.scratch(call.bytes());
        plan.copy(call.input(), own);
        for (int i = 0; i < plan.size(); i++) {
            final BufferRange operand = i == plan.rank() ? own : plan.scratch(call.bytes());
            if (i != plan.rank()) {
                plan.recv(operand, i);
            }
            if (i > 0) {
                plan.reduce(call.reduction(), into, operand);
            }
            plan.copy(operand, into);
        }
    }

    @Test
    void shouldVerifyBetweenGroups() {
        final CollModule early = comm -> comm.isInter() ? QueryResult.usable(1, AlgorithmTable.builder()
            .inter(Operation.BARRIER, "none", (call, plan) -> {})
            .build()) : new QueryResult.Declined("one group");
        final String found = verify(early).problem().orElse("sound");
        assertEquals("barrier/none: may be done before the peer has begun: size=2, rank=0, peer=1, call=Barrier[], groups=1+1", found);
    }
}
