package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests calls that one rank cannot plan: they fail on that rank and on those that need its data, and later calls are not affected. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PlanFailureTest {
    private static final int RANKS = 5;
    /** The rank that cannot plan. */
    private static final int FAILING = 2;
    /** Calls after a failure: more than there are slots for calls that share memory. */
    private static final int LATER = 70;
    /** Set on the thread of a rank while its algorithms fail. */
    private static final ThreadLocal<Boolean> BROKEN = ThreadLocal.withInitial(() -> false);

    /** A module whose algorithms fail on threads that say so. */
    private record Fragile(CollModule module) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return switch (module.query(comm)) {
                case QueryResult.Usable u -> new QueryResult.Usable(u.priority(), new FragileInstance(u.instance()));
                case QueryResult.Declined d -> d;
            };
        }
    }

    private record FragileInstance(CollInstance instance) implements CollInstance {
        @Override
        public AlgorithmTable table() {
            return fragile(instance.table());
        }

        @Override
        public AlgorithmTable init() throws Exception {
            return fragile(instance.init());
        }

        @Override
        public boolean servesDuplicates() {
            return instance.servesDuplicates();
        }

        @Override
        public void dispose() {
            instance.dispose();
        }

        private static AlgorithmTable fragile(final AlgorithmTable table) {
            final AlgorithmTable.Builder builder = AlgorithmTable.builder();
            Operation.values().forEach(o -> add(builder, table, o));
            return builder.build();
        }

        private static <C extends Call> void add(final AlgorithmTable.Builder builder, final AlgorithmTable table, final Operation<C> operation) {
            table.everyIntra(operation).forEach(e -> builder.intra(operation, e.name(), fragile(e.algorithm()), e.order()));
            table.everyInter(operation).forEach(e -> builder.inter(operation, e.name(), fragile(e.algorithm()), e.order()));
        }

        private static <C extends Call> Algorithm<C> fragile(final Algorithm<C> algorithm) {
            return (call, plan) -> {
                if (BROKEN.get()) {
                    throw new IllegalStateException("broken");
                }
                algorithm.plan(call, plan);
            };
        }
    }

    /** A module to test on its own, with basic for what it leaves out. */
    private enum Module {
        BASIC, SMP, TREE, RING, RECEXCH, DISSEM;

        List<CollModule> modules() {
            final CollModule basic = new Fragile(new BasicModule());
            return switch (this) {
                case BASIC -> List.of(basic);
                case SMP -> List.of(basic, new Named(new Fragile(new SmpModule())));
                case TREE -> List.of(basic, new Named(new Fragile(new TreeModule())));
                case RING -> List.of(basic, new Named(new Fragile(new RingModule())));
                case RECEXCH -> List.of(basic, new Named(new Fragile(new RecexchModule())));
                case DISSEM -> List.of(basic, new Named(new Fragile(new DissemModule())));
            };
        }
    }

    /** A module of another name. */
    private record Named(CollModule module) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return module.query(comm);
        }
    }

    /** The calls: whether all ranks need the data of all ranks, and how to make one that moves {@code count} numbers per rank. */
    private enum Form {
        BARRIER(true) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.barrier();
            }
        },
        BCAST(false) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.bcast(new int[count], count, Datatype.INT, FAILING);
            }
        },
        REDUCE(false) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.reduce(new int[count], new int[count], count, Datatype.INT, Op.SUM, 0);
            }
        },
        ALLREDUCE(true) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.allreduce(new int[count], new int[count], count, Datatype.INT, Op.SUM);
            }
        },
        ALLGATHER(true) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.allgather(new int[count], count, Datatype.INT, new int[count * c.size()], count, Datatype.INT);
            }
        },
        ALLTOALL(true) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.alltoall(new int[count * c.size()], count, Datatype.INT, new int[count * c.size()], count, Datatype.INT);
            }
        },
        SCAN(false) {
            @Override
            Request call(final Collectives<? extends Request> on, final Communicator c, final int count) {
                return on.scan(new int[count], new int[count], count, Datatype.INT, Op.SUM);
            }
        };

        private final boolean needsAll;

        Form(final boolean needsAll) {
            this.needsAll = needsAll;
        }

        abstract Request call(Collectives<? extends Request> on, Communicator c, int count);
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Module.values()).flatMap(m -> Stream.of(1, 2).flatMap(nodes -> Stream.of("fast", "off", "full")
            .map(check -> Arguments.of(m, nodes, check))));
    }

    /** Makes a call that the failing rank cannot plan, and waits for it. */
    private static void broken(final Communicator c, final Form form, final Collectives<? extends Request> on, final int count) {
        BROKEN.set(c.owner().worldRank() == FAILING);
        try {
            final Request request = form.call(on, c, count);
            if (request instanceof final PersistentRequest p) {
                p.start();
            }
            try {
                request.await();
            } finally {
                if (request instanceof final PersistentRequest p) {
                    p.free();
                }
            }
        } finally {
            BROKEN.remove();
        }
    }

    private static void checkFailure(final Communicator c, final Form form, final Collectives<? extends Request> on, final int count) {
        if (c.owner().worldRank() == FAILING) {
            final MpiFailure own = assertThrows(MpiFailure.class, () -> broken(c, form, on, count));
            assertTrue(own.getMessage().startsWith("cannot plan "), own::getMessage);
            assertFalse(own.isReportedByPeer());
        } else if (form.needsAll) {
            assertTrue(assertThrows(MpiFailure.class, () -> broken(c, form, on, count), () -> form + " of " + count).isReportedByPeer());
        } else {
            try {
                broken(c, form, on, count);
            } catch (final MpiFailure e) {
                assertTrue(e.isReportedByPeer(), e::getMessage);
            }
        }
    }

    private static void checkUsable(final Communicator c) {
        final int[] data = new int[300];
        for (int i = 0; i < LATER; i++) {
            Arrays.fill(data, i);
            c.engine().blocking().allreduce(Reserved.IN_PLACE, data, 1 + i, Datatype.INT, Op.SUM);
            assertEquals(c.size() * i, data[i]);
            data[0] = c.rank() == i % c.size() ? i : -1;
            c.engine().blocking().bcast(data, 1, Datatype.INT, i % c.size());
            assertEquals(i, data[0]);
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("everywhere")
    void shouldTellTheOtherRanksAndLeaveTheCommunicatorUsable(final Module module, final int nodes, final String check) throws Exception {
        ModuleRuns.run(RANKS, nodes, Map.of("check", check), module.modules(), rank -> {
            final Communicator c = rank.world().dup();
            for (final Form form : Form.values()) {
                // counts that are not in the cache of schedules
                for (final int count : form == Form.BARRIER ? new int[] {0} : new int[] {400, 5_000, 90_000}) {
                    checkFailure(c, form, c.engine().blocking(), count);
                    if (form != Form.BARRIER) {
                        checkFailure(c, form, c.engine().nonblocking(), count + 1);
                        checkFailure(c, form, c.engine().persistent(), count + 2);
                    }
                }
                checkUsable(c);
            }
            c.disconnect();
            checkUsable(rank.world());
        });
    }

    /** The failing rank often leaves the barrier between two looks of another rank at its slot. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"SMP, 1, fast", "SMP, 2, fast", "SMP, 1, off"})
    void shouldFailOnAllRanksInEveryBarrier(final Module module, final int nodes, final String check) throws Exception {
        ModuleRuns.run(RANKS, nodes, Map.of("check", check), module.modules(), rank -> {
            final Communicator c = rank.world().dup();
            for (int i = 0; i < 3_000; i++) {
                checkFailure(c, Form.BARRIER, c.engine().blocking(), i);
                c.engine().blocking().allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM);
            }
        });
    }

    /** Starts a request on all ranks, and returns whether it failed on this one: always where its call cannot be planned. */
    private static boolean fails(final Communicator c, final PersistentRequest request) {
        try {
            request.start();
            request.await();
            return false;
        } catch (final MpiFailure e) {
            assertEquals(c.owner().worldRank() != FAILING, e.isReportedByPeer(), e::getMessage);
            return true;
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("everywhere")
    void shouldStartPersistentCollectivesAgainAfterTheyFailed(final Module module, final int nodes, final String check) throws Exception {
        ModuleRuns.run(RANKS, nodes, Map.of("check", check), module.modules(), rank -> {
            final Communicator c = rank.world().dup();
            for (final int count : new int[] {3, 5_000, 90_000}) {
                final int[] mine = new int[count];
                final int[] sums = new int[count];
                final int[] data = new int[count];
                BROKEN.set(c.rank() == FAILING);
                final PersistentRequest sum = c.engine().persistent().allreduce(mine, sums, count, Datatype.INT, Op.SUM);
                // its root need not learn that another rank has failed
                final PersistentRequest bcast = c.engine().persistent().bcast(data, count, Datatype.INT, 0);
                // more than there are slots for starts that share memory
                for (int i = 0; i < 10; i++) {
                    assertTrue(fails(c, sum));
                    assertTrue(fails(c, bcast) || c.rank() != FAILING);
                }
                BROKEN.remove();
                for (int i = 0; i < 20; i++) {
                    Arrays.fill(mine, i + c.rank());
                    Arrays.fill(data, c.rank() == 0 ? i : -1);
                    final boolean isFirst = i % 2 == c.rank() % 2;
                    (isFirst ? sum : bcast).start();
                    (isFirst ? bcast : sum).start();
                    bcast.await();
                    sum.await();
                    assertEquals(5 * i + 10, sums[count - 1]);
                    assertEquals(i, data[count - 1]);
                }
                sum.free();
                bcast.free();
            }
            checkUsable(c);
            c.disconnect();
        });
    }

    /** The reduction fails in every third start. */
    @ParameterizedTest
    @CsvSource({"SMP, 1", "SMP, 2", "TREE, 2", "RING, 1"})
    void shouldStartPersistentReductionsAgainAfterTheirFunctionFailed(final Module module, final int nodes) throws Exception {
        ModuleRuns.run(RANKS, nodes, Map.of(), module.modules(), rank -> {
            final Communicator c = rank.world();
            final int[] round = {0};
            final Op op = Op.user("sometimes", true, (in, inout, count, type) -> {
                if (round[0] % 3 == 0) {
                    throw new IllegalStateException("not now");
                }
            });
            final PersistentRequest request = c.engine().persistent().allreduce(new int[3], new int[3], 3, Datatype.INT, op);
            for (; round[0] < 15; round[0]++) {
                c.engine().blocking().barrier();
                if (round[0] % 3 == 0) {
                    request.start();
                    assertThrows(MpiFailure.class, request::await);
                } else {
                    request.start();
                    request.await();
                }
                c.engine().blocking().barrier();
            }
            request.free();
        });
    }

    @ParameterizedTest
    @CsvSource({"1, fast", "2, fast", "2, off", "2, full"})
    void shouldTellTheOtherRanksOfAnIntercommunicator(final int nodes, final String check) throws Exception {
        ModuleRuns.run(RANKS, nodes, Map.of("check", check), Module.BASIC.modules(), rank -> {
            final int half = rank.worldRank() % 2;
            final Communicator both = rank.world().split(half, 0).createIntercomm(0, rank.world(), 1 - half, 5);
            for (int i = 0; i < 3; i++) {
                checkFailure(both, Form.BARRIER, both.engine().blocking(), 0);
                checkFailure(both, Form.ALLREDUCE, both.engine().nonblocking(), 40_000 + i);
                final int[] sum = {0};
                both.engine().blocking().allreduce(new int[] {1}, sum, 1, Datatype.INT, Op.SUM);
                assertEquals(both.remoteSize(), sum[0]);
            }
            both.disconnect();
        });
    }
}
