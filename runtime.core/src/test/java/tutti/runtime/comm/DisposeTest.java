package tutti.runtime.comm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.BufferRange;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.request.Request;

/** Tests when the runtime releases what a module keeps for a communicator. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DisposeTest {
    private static final int RANKS = 4;

    /** A module that splits every communicator of the program by even and odd ranks, and records the instances that are alive. */
    private static final class Recorder implements CollModule {
        private final boolean servesDuplicates;
        private final ConcurrentLinkedQueue<String> alive = new ConcurrentLinkedQueue<>();
        private final AtomicInteger disposals = new AtomicInteger();

        Recorder(final boolean servesDuplicates) {
            this.servesDuplicates = servesDuplicates;
        }

        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Usable(90, new Instance(this, comm));
        }
    }

    private record Instance(Recorder module, CollComm comm) implements CollInstance {
        private String name() {
            return comm.name() + " #" + System.identityHashCode(this);
        }

        @Override
        public AlgorithmTable table() {
            return AlgorithmTable.builder().intra(Operation.BARRIER, "flat", (call, plan) -> meetAll(plan))
                .inter(Operation.BARRIER, "groups",
                    (call, plan) -> AdvancedPlan.of(plan).nested(SetupComm.of(comm).local(), Operation.BARRIER, call, null, null))
                .build();
        }

        @Override
        public AlgorithmTable init() {
            module.alive.add(name());
            if (comm.isInter() || comm.origin() == CollComm.Origin.HIDDEN) {
                return table();
            }
            final CollSubComm half = SetupComm.of(comm).split("half", comm.rank() % 2, 0);
            return AlgorithmTable.builder().intra(Operation.BARRIER, "halves", (call, plan) -> {
                AdvancedPlan.of(plan).nested(half, Operation.BARRIER, call, null, null);
                plan.fence();
                meetAll(plan);
            }).build();
        }

        private static void meetAll(final Plan plan) {
            final BufferRange nothing = plan.scratch(0);
            for (int r = 0; r < plan.size(); r++) {
                if (r != plan.rank()) {
                    plan.send(nothing, r);
                    plan.recv(nothing, r);
                }
            }
        }

        @Override
        public boolean servesDuplicates() {
            return module.servesDuplicates;
        }

        @Override
        public void dispose() {
            assertTrue(module.alive.remove(name()), "disposed twice, or not initialised: " + name());
            module.disposals.incrementAndGet();
        }
    }

    private final Recorder lone = new Recorder(false);
    private final Recorder shared = new Recorder(true);

    private static void run(final CollModule module, final Ranks.Body body) throws Exception {
        Ranks.run(RANKS, 2, List.of(module, new BasicModule()), body);
    }

    /** Waits until all ranks were here. */
    private static void meet(final Communicator comm) {
        comm.engine().blocking().barrier();
    }

    @Test
    void shouldDisposeTheInstancesOfACommunicatorAndOfItsHiddenOnesWhenItIsFreed() throws Exception {
        run(lone, rank -> {
            final Communicator part = rank.world().split(0, 0);
            meet(part);
            meet(rank.world());
            // on the communicator and on the hidden one, of each rank: of both COMM_WORLD and the part
            assertEquals(4 * RANKS, lone.alive.size(), lone.alive::toString);
            meet(rank.world());
            part.disconnect();
            meet(rank.world());
            assertEquals(2 * RANKS, lone.alive.size(), lone.alive::toString);
            assertEquals(2 * RANKS, lone.disposals.get());
            meet(rank.world());
        });
        assertEquals(List.of(), List.copyOf(lone.alive), "alive after the job");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDisposeWhenTheLastCommunicatorIsFreedThatAnInstanceServes(final boolean originalFirst) throws Exception {
        run(shared, rank -> {
            final Communicator part = rank.world().split(0, 0);
            final Communicator dup = part.dup();
            meet(dup);
            meet(rank.world());
            assertEquals(4 * RANKS, shared.alive.size(), shared.alive::toString);
            meet(rank.world());
            (originalFirst ? part : dup).disconnect();
            meet(rank.world());
            assertEquals(4 * RANKS, shared.alive.size(), shared.alive::toString);
            meet(originalFirst ? dup : part);
            meet(rank.world());
            (originalFirst ? dup : part).disconnect();
            meet(rank.world());
            assertEquals(2 * RANKS, shared.alive.size(), shared.alive::toString);
            meet(rank.world());
        });
        assertEquals(List.of(), List.copyOf(shared.alive), "alive after the job");
    }

    @Test
    void shouldDisposeAfterTheLastPendingCall() throws Exception {
        run(lone, rank -> {
            final Communicator world = rank.world();
            final Communicator part = world.split(world.rank() == 3 ? Group.UNDEFINED : 0, 0);
            if (part != null) {
                // rank 2 calls the barrier when the others have freed the communicator
                final Request barrier = part.rank() == 2 ? null : part.engine().nonblocking().barrier();
                if (barrier == null) {
                    for (int r = 0; r < 2; r++) {
                        world.messages().recv(new int[1], 1, Datatype.INT, r, 1);
                    }
                    assertEquals(0, lone.disposals.get(), "the calls of two ranks are pending");
                    part.engine().blocking().barrier();
                    part.free();
                } else {
                    part.free();
                    world.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 2, 1);
                    barrier.await();
                }
            }
            // the ranks that have freed the communicator exchange messages about it
            await().pollInSameThread().atMost(Duration.ofSeconds(60)).until(() -> {
                world.messages().iprobe(Reserved.ANY_SOURCE, Reserved.ANY_TAG);
                return lone.disposals.get() == 2 * 3;
            });
            meet(world);
        });
        assertEquals(List.of(), List.copyOf(lone.alive), "alive after the job");
    }

    @Test
    void shouldDisposeTheInstancesOfBothGroupsOfAnIntercommunicator() throws Exception {
        run(lone, rank -> {
            final int half = rank.worldRank() % 2;
            final Communicator group = rank.world().split(half, 0);
            final Communicator both = group.createIntercomm(0, rank.world(), 1 - half, 5);
            meet(both);
            meet(rank.world());
            final int alive = lone.alive.size();
            meet(rank.world());
            both.disconnect();
            meet(rank.world());
            // on the intercommunicator and on the local group
            assertEquals(2 * RANKS, alive - lone.alive.size(), lone.alive::toString);
            meet(rank.world());
            group.disconnect();
            meet(rank.world());
            assertEquals(2 * RANKS, lone.alive.size(), lone.alive::toString);
            meet(rank.world());
        });
        assertEquals(List.of(), List.copyOf(lone.alive), "alive after the job");
    }

    @Test
    void shouldDisposeAtTheEndOfTheJobWhatWasNotFreed() throws Exception {
        run(shared, rank -> {
            rank.world().split(rank.worldRank() % 2, 0).dup();
            meet(rank.world());
            assertTrue(shared.alive.size() >= 3 * RANKS, shared.alive::toString);
            meet(rank.world());
        });
        assertEquals(List.of(), List.copyOf(shared.alive), "alive after the job");
    }

    /** A module that is initialized on every communicator of one rank or more, and counts its instances. */
    private static final class Counted implements CollModule {
        private final Consumer<CollComm> step;
        private final Runnable asked;
        private final AtomicInteger initialized = new AtomicInteger();
        private final AtomicInteger alive = new AtomicInteger();

        Counted(final Consumer<CollComm> step, final Runnable asked) {
            this.step = step;
            this.asked = asked;
        }

        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Usable(90, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return AlgorithmTable.builder().intra(Operation.BARRIER, "flat", (call, plan) -> Instance.meetAll(plan)).build();
                }

                @Override
                public AlgorithmTable init() {
                    step.accept(comm);
                    initialized.incrementAndGet();
                    alive.incrementAndGet();
                    return table();
                }

                @Override
                public boolean servesDuplicates() {
                    asked.run();
                    return false;
                }

                @Override
                public void dispose() {
                    alive.decrementAndGet();
                }
            });
        }
    }

    private static final Runnable NOTHING = () -> {};

    @Test
    void shouldDisposeAnInstanceThatFailsAfterItsInitialization() throws Exception {
        final Counted module = new Counted(comm -> {}, () -> {
            throw new IllegalStateException("not asked for");
        });
        run(module, rank -> {
            meet(rank.world());
            assertEquals("BasicModule 1.0.0", rank.world().engine().explain().get(Operation.BARRIER.ordinal()).module());
        });
        assertEquals(RANKS, module.initialized.get());
        assertEquals(0, module.alive.get());
    }

    @Test
    void shouldDisposeTheInstancesOfHiddenCommunicatorsWhenTheSelectionFails() throws Exception {
        final Queue<Rank> ranks = new ConcurrentLinkedQueue<>();
        final AtomicInteger armed = new AtomicInteger();
        final Counted module = new Counted(comm -> {
            if (armed.get() > 0 && comm.origin() == CollComm.Origin.PART) {
                SetupComm.of(comm).split("all", 0, 0);
                // the selection is going on, and the rank can make no call any more
                ranks.stream().filter(r -> r.worldRank() == comm.rank()).findAny().orElseThrow().end("on purpose");
            }
        }, NOTHING);
        assertThrows(AssertionError.class, () -> run(module, rank -> {
            ranks.add(rank);
            meet(rank.world());
            armed.set(1);
            meet(rank.world());
            assertThrows(JobEndedError.class, () -> rank.world().split(0, 0));
        }));
        // those of COMM_WORLD, and of a rank that had all answers already, are released at the end of the rank
        ranks.forEach(Rank::release);
        assertEquals(0, module.alive.get());
        assertTrue(module.initialized.get() > 2 * RANKS, module.initialized::toString);
    }

    @Test
    void shouldDisposeWhatIsSelectedAfterTheRankHasReleasedItsCommunicators() throws Exception {
        final Queue<Rank> ranks = new ConcurrentLinkedQueue<>();
        final AtomicInteger armed = new AtomicInteger();
        final Counted module = new Counted(comm -> {
            if (armed.get() > 0 && comm.origin() == CollComm.Origin.PART) {
                SetupComm.of(comm).split("all", 0, 0);
                ranks.stream().filter(r -> r.worldRank() == comm.rank()).findAny().orElseThrow().release();
            }
        }, NOTHING);
        run(module, rank -> {
            ranks.add(rank);
            meet(rank.world());
            armed.set(1);
            final Communicator before = rank.world().split(0, 0);
            assertThrows(MpiFailure.class, () -> meet(before));
        });
        assertEquals(0, module.alive.get());
        assertEquals(3 * RANKS, module.initialized.get());
    }
}
