package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;

/** Tests that whoever initializes a module disposes it, however the proof ends. */
@Timeout(120)
class DisposalTest {

    /** A step of the set-up on one rank, after which the module is initialized. */
    private interface Step {
        void on(CollComm comm) throws Exception;
    }

    /** A module that counts its instances, from the end of their initialization to their disposal. */
    private static final class Counted implements CollModule {
        private final Step step;
        private final AtomicInteger initialized = new AtomicInteger();
        private final AtomicInteger alive = new AtomicInteger();
        private final Semaphore disposals = new Semaphore(0);

        Counted(final Step step) {
            this.step = step;
        }

        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Usable(50, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return AlgorithmTable.builder().intra(Operation.BCAST, "linear", (call, plan) -> {
                        assertTrue(alive.get() > 0, "planned after it was disposed");
                        Plain.bcast(call, plan);
                    }).inter(Operation.BARRIER, "nothing", (call, plan) -> {}).build();
                }

                @Override
                public AlgorithmTable init() throws Exception {
                    step.on(comm);
                    initialized.incrementAndGet();
                    alive.incrementAndGet();
                    return table();
                }

                @Override
                public void dispose() {
                    alive.decrementAndGet();
                    disposals.release();
                }
            });
        }

        void assertDisposed(final int instances) {
            assertEquals("initialized " + instances + ", alive 0", "initialized " + initialized + ", alive " + alive);
        }
    }

    private static final Step NOTHING = comm -> {};

    @Test
    void shouldDisposeWhenAVirtualModuleIsClosed() {
        final Counted module = new Counted(comm -> {
            if (comm.origin() != CollComm.Origin.HIDDEN && !comm.isInter()) {
                SetupComm.of(comm).split("half", comm.rank() % 2, 0);
            }
        });
        try (VirtualModule virtual = VirtualModule.of(module, new Plain(), NodeLayout.oneNode(3))) {
            PlanChecker.prove(Operation.BCAST, virtual, "linear", CallCases.of(Operation.BCAST, 3, List.of(1)));
            assertEquals(6, module.alive.get(), "on the communicator and on the inner ones");
        }
        module.assertDisposed(6);
        VirtualModule.between(module, new Plain(), 2, NodeLayout.oneNode(5)).close();
        // of the groups, and between them
        module.assertDisposed(6 + 10);
    }

    @Test
    void shouldDisposeWhatOtherRanksInitializedWhenOneFails() {
        final CountDownLatch others = new CountDownLatch(2);
        final Counted module = new Counted(comm -> {
            if (comm.rank() == 1) {
                assertTrue(others.await(60, TimeUnit.SECONDS));
                throw new IllegalStateException("no memory");
            }
        });
        final CollModule counting = comm -> new QueryResult.Usable(1, new Told(((QueryResult.Usable) module.query(comm)).instance(), others));
        assertEquals("set-up failed: rank=1: java.lang.IllegalStateException: no memory",
            assertThrows(IllegalStateException.class, () -> VirtualModule.of(counting, new Plain(), NodeLayout.oneNode(3))).getMessage());
        module.assertDisposed(2);
    }

    /** An instance that counts down when it is initialized. */
    private record Told(CollInstance instance, CountDownLatch initialized) implements CollInstance {
        @Override
        public AlgorithmTable table() {
            return instance.table();
        }

        @Override
        public AlgorithmTable init() throws Exception {
            final AlgorithmTable table = instance.init();
            initialized.countDown();
            return table;
        }

        @Override
        public void dispose() {
            instance.dispose();
        }
    }

    @Test
    void shouldDisposeWhatIsInitializedAfterTheProofWasAbandoned() throws InterruptedException {
        final CountDownLatch abandoned = new CountDownLatch(1);
        final Counted module = new Counted(comm -> {
            while (comm.rank() > 0 && abandoned.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        assertEquals("set-up takes too long: ranks=3: 300 ms of processor time", assertThrows(IllegalStateException.class,
            () -> VirtualModule.of(module, new Plain(), CommGroups.intra(3), Map.of(), 300)).getMessage());
        abandoned.countDown();
        assertTrue(module.disposals.tryAcquire(3, 60, TimeUnit.SECONDS));
        module.assertDisposed(3);
    }

    @Test
    void shouldDisposeWhatOtherCommunicatorsInitializedWhenASplitFails() {
        final Counted module = new Counted(comm -> {
            if (comm.origin() == CollComm.Origin.HIDDEN) {
                return;
            }
            SetupComm.of(comm).split("all", 0, 0);
            throw new IllegalStateException("no memory");
        });
        assertThrows(IllegalStateException.class, () -> VirtualModule.of(module, new Plain(), NodeLayout.oneNode(3)));
        module.assertDisposed(3);
    }

    @Test
    void shouldInitializeNothingWhereOneRankDeclines() {
        final Counted module = new Counted(NOTHING);
        try (VirtualModule virtual = VirtualModule.of(comm -> comm.rank() == 2 ? new QueryResult.Declined("not me") : module.query(comm), new Plain(),
            NodeLayout.oneNode(3))) {
            assertEquals(Optional.of("not me"), virtual.declined());
        }
        module.assertDisposed(0);
    }

    @Test
    void shouldDisposeInVerificationsWhetherTheyFindAnErrorOrNot() {
        final Counted right = new Counted(NOTHING);
        assertEquals(Optional.empty(), new ModuleVerifier(right, new Plain()).run(new ModuleVerifier.Extent(List.of(1, 3),
            n -> List.of(NodeLayout.oneNode(n)), List.of(), n -> List.of(1), n -> new int[] {0})).problem());
        assertEquals(0, right.alive.get());
        assertTrue(right.initialized.get() > 0);
        final int before = right.initialized.get();
        assertEquals(Map.of("bcast", List.of("linear"), "barrier", List.of("nothing")), new ModuleVerifier(right, new Plain()).algorithms());
        assertEquals(0, right.alive.get());
        assertTrue(right.initialized.get() > before);
        final Counted wrong = new Counted(comm -> {
            if (comm.size() == 3 && comm.rank() == 2) {
                throw new IllegalStateException("no memory");
            }
        });
        assertTrue(new ModuleVerifier(wrong, new Plain()).run(ModuleVerifier.Extent.brief()).problem().orElseThrow().contains("no memory"));
        assertEquals(0, wrong.alive.get());
        assertTrue(wrong.initialized.get() > 0);
    }

    @Test
    void shouldDisposeWhereAVerificationIsAbandoned() throws InterruptedException {
        final CountDownLatch abandoned = new CountDownLatch(1);
        final Counted module = new Counted(comm -> {
            while (comm.size() > 1 && comm.rank() == 0 && abandoned.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        assertTrue(new ModuleVerifier(module, new Plain(), Map.of(), ModuleVerifier.MAX_TASKS, Duration.ofMillis(500))
            .run(ModuleVerifier.Extent.brief()).problem().orElseThrow().startsWith("takes too long"));
        abandoned.countDown();
        assertTrue(module.disposals.tryAcquire(3, 60, TimeUnit.SECONDS));
        module.assertDisposed(3);
    }

    @Test
    void shouldReportADisposalThatFails() {
        final CollModule module = comm -> new QueryResult.Usable(1, new CollInstance() {
            @Override
            public AlgorithmTable table() {
                return AlgorithmTable.builder().build();
            }

            @Override
            public void dispose() {
                throw new IllegalStateException("no way out");
            }
        });
        assertEquals(Optional.of("dispose failed: java.lang.IllegalStateException: no way out, nodes=[0]"),
            new ModuleVerifier(module, new Plain()).run(ModuleVerifier.Extent.brief()).problem());
    }

    @Test
    void shouldDisposeAfterAProofBetweenGroupsAndAfterItsCost() {
        final Counted module = new Counted(NOTHING);
        final CommGroups groups = CommGroups.of(2, 3, new Plain());
        final List<Call.Barrier> calls = List.of(new Call.Barrier(), new Call.Barrier(), new Call.Barrier(), new Call.Barrier(), new Call.Barrier());
        assertThrows(AssertionError.class, () -> PlanChecker.prove(Operation.BARRIER, module, groups, List.of(calls)));
        module.assertDisposed(5);
        CostSimulator.of(Operation.BARRIER, module, groups, calls);
        module.assertDisposed(10);
        assertThrows(IllegalArgumentException.class, () -> CostSimulator.of(Operation.BCAST, module, groups, List.of()));
        module.assertDisposed(11);
    }
}
