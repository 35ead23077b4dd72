package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.advanced.ThreadLevel;
import tutti.coll.advanced.ThreadRange;
import tutti.coll.advanced.ThreadSupport;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.host.JobRanks;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.job.JobSpec;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests selection on ranks of two nodes. Every communicator has module basic as well. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SelectionTest {
    private static final Algorithm<Call.Barrier> NOTHING = (call, plan) -> {};
    private static final Algorithm<Call.Bcast> STAR = (call, plan) -> {
        for (int r = 0; r < plan.size(); r++) {
            if (plan.rank() == call.root() && r != call.root()) {
                plan.send(Buffer.RECV.at(0, call.bytes()), r);
            }
        }
        if (plan.rank() != call.root()) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
        }
    };

    private final List<OfferedModule> modules = new ArrayList<>(List.of(offered("basic", new BasicModule())));
    private final List<ExcludedModule> leftOut = new ArrayList<>();
    private Map<String, String> parameters = Map.of();

    private static OfferedModule offered(final String name, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module);
    }

    private SelectionTest with(final String name, final CollModule module) {
        modules.add(offered(name, module));
        return this;
    }

    private static AlgorithmTable bcast(final String algorithm) {
        return AlgorithmTable.builder().intra(Operation.BCAST, algorithm, STAR).build();
    }

    private void run(final int ranks, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, 2, transport, Ranks.job(ranks, parameters, RuleTable.NONE, modules, leftOut), body);
        }
    }

    private static Explanation of(final Rank rank, final Operation<?> operation) {
        return rank.world().engine().explain().get(operation.ordinal());
    }

    /** Returns how bcast is explained: module, algorithm, and the others with their reasons. Checks that all ranks explain it alike. */
    private String bcastOn(final int ranks) throws Exception {
        final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();
        run(ranks, rank -> {
            final Explanation e = of(rank, Operation.BCAST);
            said.add(e.module() + "/" + e.algorithm() + " not " + e.others().stream().map(o -> o.module() + ": " + o.reason()).toList());
            final int[] data = {rank.worldRank() == 0 ? 42 : 0};
            rank.world().engine().blocking().bcast(data, 1, Datatype.INT, 0);
            assertEquals(42, data[0]);
        });
        assertEquals(1, said.stream().distinct().count(), said.toString());
        return said.peek();
    }

    @Test
    void shouldTakeTheHighestPriorityPerOperationAndTheNextForWhatItLeavesOut() throws Exception {
        with("star", c -> QueryResult.usable(90, bcast("star")));
        run(3, rank -> {
            assertEquals("star 1.0.0", of(rank, Operation.BCAST).module());
            assertEquals("basic 1.0.0", of(rank, Operation.BARRIER).module());
            assertEquals(List.of(new ExcludedModule("star 1.0.0", "does not offer barrier on all ranks")), of(rank, Operation.BARRIER).others());
            assertEquals(List.of(new ExcludedModule("basic 1.0.0", "priority 10 is below 90 of star")), of(rank, Operation.BCAST).others());
        });
    }

    @Test
    void shouldTellThatNoModuleServesACall() throws Exception {
        Ranks.run(2, List.of(), rank -> assertEquals("no module serves barrier on " + rank.world()
            + ": install one, or check that basic is active on node n0",
            assertThrows(MpiFailure.class, () -> rank.world().engine().blocking().barrier()).getMessage()));
    }

    @Test
    void shouldRefuseAnInterceptorThatIsACollectiveModule() throws Exception {
        with("intercept.ring", new BasicModule());
        parameters = Map.of("intercept", "ring");
        run(2, rank -> assertEquals("module intercept.ring 1.0.0 is no interceptor: its service is no CallInterceptor",
            assertThrows(MpiFailure.class, rank::interceptors).getMessage()));
    }

    @Test
    void shouldBreakTiesByName() throws Exception {
        with("b", c -> QueryResult.usable(50, bcast("b"))).with("a", c -> QueryResult.usable(50, bcast("a")));
        assertEquals("a 1.0.0/a not [basic 1.0.0: priority 10 is below 50 of a, b 1.0.0: same priority 50 as a, which precedes it by name]",
            bcastOn(3));
    }

    @Test
    void shouldTakeTheLowestPriorityOfAllRanks() throws Exception {
        with("star", c -> QueryResult.usable(c.rank() == 2 ? 5 : 90, bcast("star")));
        assertEquals("basic 1.0.0/binomial not [star 1.0.0: priority 5 is below 10 of basic]", bcastOn(4));
    }

    @Test
    void shouldExcludeOnAllRanksWhatDeclinesOnOne() throws Exception {
        with("star", c -> c.rank() == 2 ? new QueryResult.Declined("no such hardware") : QueryResult.usable(90, bcast("star")));
        assertEquals("basic 1.0.0/binomial not [star 1.0.0: declined: no such hardware (rank 2)]", bcastOn(5));
    }

    @Test
    void shouldUseOnlyOperationsThatAllRanksOffer() throws Exception {
        with("star", c -> QueryResult.usable(90, c.rank() == 1 ? AlgorithmTable.builder().build() : bcast("star")));
        assertEquals("basic 1.0.0/binomial not [star 1.0.0: does not offer bcast on all ranks]", bcastOn(3));
    }

    @Test
    void shouldExcludeModulesThatThrowOrAnswerInvalidly() throws Exception {
        with("throws", c -> {
            throw new IllegalStateException("a bug\nin it");
        }).with("null", c -> null).with("high", c -> QueryResult.usable(101, bcast("x"))).with("error", c -> {
            throw new NoClassDefFoundError("gone");
        }).with("tableless", c -> new QueryResult.Usable(99, () -> null)).with("deep", c -> {
            throw new StackOverflowError();
        });
        assertEquals("basic 1.0.0/binomial not [throws 1.0.0: query failed: a bug (rank 0), null 1.0.0: query returned null (rank 0), "
            + "high 1.0.0: query failed: priority out of range: priority=101, range=0..100 (rank 0), error 1.0.0: query failed: gone (rank 0), "
            + "tableless 1.0.0: query failed: table is null (rank 0), deep 1.0.0: query failed: StackOverflowError (rank 0)]", bcastOn(3));
    }

    @Test
    void shouldExcludeWhatOffersOtherAlgorithmsOnOtherRanks() throws Exception {
        with("star", c -> QueryResult.usable(90, bcast(c.rank() == 1 ? "comet" : "star")));
        assertEquals("basic 1.0.0/binomial not [star 1.0.0: offers different algorithms on different ranks]", bcastOn(3));
    }

    @Test
    void shouldFollowTheUsersOrderExclusionsAndPicks() throws Exception {
        with("a", c -> QueryResult.usable(50, bcast("a"))).with("b", c -> QueryResult.usable(40, bcast("b")))
            .with("c", c -> QueryResult.usable(30, bcast("c")));
        parameters = Map.of("coll.select", "c, ^a");
        assertEquals("c 1.0.0/c not [basic 1.0.0: c comes first in coll.select, a 1.0.0: excluded by coll.select (rank 0), "
            + "b 1.0.0: c comes first in coll.select]", bcastOn(3));
        parameters = Map.of("coll.bcast", "b");
        assertEquals("b 1.0.0/b not [basic 1.0.0: b was picked by coll.bcast, a 1.0.0: b was picked by coll.bcast, "
            + "c 1.0.0: b was picked by coll.bcast]", bcastOn(3));
    }

    @Test
    void shouldShowWhatTheNodesDidNotAgreeOn() throws Exception {
        leftOut.add(new ExcludedModule("ring 1.1.0", "missing on node c"));
        assertEquals("basic 1.0.0/binomial not [ring 1.1.0: missing on node c]", bcastOn(2));
    }

    @Test
    void shouldAskForThreadLevelsOncePerNodeAndLeaveOutWhatDoesNotReachIt() throws Exception {
        final AtomicInteger asked = new AtomicInteger();
        with("single", new Threaded() {
            @Override
            public Optional<ThreadRange> threads(final CollJob job, final ThreadLevel level) {
                asked.incrementAndGet();
                return Optional.of(new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.SERIALIZED));
            }

            @Override
            public QueryResult query(final CollComm comm) {
                return QueryResult.usable(90, bcast("star"));
            }
        }).with("shy", new Threaded() {
            @Override
            public Optional<ThreadRange> threads(final CollJob job, final ThreadLevel level) {
                return Optional.empty();
            }

            @Override
            public QueryResult query(final CollComm comm) {
                throw new IllegalStateException("not to be asked");
            }
        });
        assertEquals("basic 1.0.0/binomial not [single 1.0.0: thread level MULTIPLE is not supported: range=SINGLE..SERIALIZED (rank 0), "
            + "shy 1.0.0: opts out of this job (rank 0)]", bcastOn(4));
        assertEquals(1, asked.get(), "the nodes of this test share their modules");
    }

    /** A module that does not support all thread levels. */
    private interface Threaded extends CollModule, ThreadSupport {}

    /** A module of thread levels up to a highest one, which serves bcast. */
    private static CollModule upTo(final ThreadLevel highest, final int priority) {
        return new Threaded() {
            @Override
            public Optional<ThreadRange> threads(final CollJob job, final ThreadLevel level) {
                assertEquals(ThreadLevel.MULTIPLE, level);
                return Optional.of(new ThreadRange(ThreadLevel.SINGLE, highest));
            }

            @Override
            public QueryResult query(final CollComm comm) {
                return QueryResult.usable(priority, bcast("star"));
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"basic, MULTIPLE", "serial, SERIALIZED", "serial shy, SERIALIZED", "serial single, SINGLE", "serial excluded, SERIALIZED"})
    void shouldProvideTheHighestLevelOfAllModulesWhereTheProgramAsksForNone(final String names, final ThreadLevel expected) {
        for (final String name : names.split(" ")) {
            switch (name) {
                case "serial" -> with(name, upTo(ThreadLevel.SERIALIZED, 90));
                case "single" -> with(name, upTo(ThreadLevel.SINGLE, 80));
                case "excluded" -> with(name, upTo(ThreadLevel.SINGLE, 80));
                case "shy" -> with(name, new Threaded() {
                    @Override
                    public Optional<ThreadRange> threads(final CollJob job, final ThreadLevel level) {
                        return Optional.empty();
                    }

                    @Override
                    public QueryResult query(final CollComm comm) {
                        throw new IllegalStateException("not to be asked");
                    }
                });
                default -> assertEquals("basic", name);
            }
        }
        parameters = Map.of("coll.select", "^excluded");
        final JobSpec spec = new JobSpec("test", new byte[16], List.of("n0"), List.of(0), 0, "none", List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {});
        job.setModules(Ranks.job(1, parameters, RuleTable.NONE, modules, leftOut));
        final Rank rank = job.local().getFirst();
        try {
            assertEquals(expected, rank.init());
            assertEquals(expected, rank.threadLevel());
            // none is left out because the program did not ask
            assertEquals(names.startsWith("serial") ? "serial 1.0.0" : "basic 1.0.0", of(rank, Operation.BCAST).module());
        } finally {
            rank.end("the test is over");
            job.leave();
        }
    }

    /** A module whose init is given by a function. Counts calls of init and dispose. */
    private static final class Counting implements CollModule {
        private final Function<SetupComm, AlgorithmTable> init;
        private final AtomicInteger inits = new AtomicInteger();
        private final AtomicInteger disposals = new AtomicInteger();

        Counting(final Function<SetupComm, AlgorithmTable> init) {
            this.init = init;
        }

        @Override
        public QueryResult query(final CollComm comm) {
            return comm.size() == 1 ? new QueryResult.Declined("alone") : new QueryResult.Usable(90, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return bcast("offered");
                }

                @Override
                public AlgorithmTable init() {
                    final AlgorithmTable table = init.apply(SetupComm.of(comm));
                    inits.incrementAndGet();
                    return table;
                }

                @Override
                public void dispose() {
                    disposals.incrementAndGet();
                    throw new IllegalStateException("which harms nobody");
                }
            });
        }
    }

    @Test
    void shouldUseTheTableOfInitAndDisposeAtTheEnd() throws Exception {
        final Counting module = new Counting(c -> bcast("replaced"));
        assertEquals("m 1.0.0/replaced not [basic 1.0.0: priority 10 is below 90 of m]", with("m", module).bcastOn(3));
        assertEquals(3, module.inits.get());
        assertEquals(3, module.disposals.get());
    }

    @Test
    void shouldRemoveWhatFailsInInitOnOneRankFromAllAndUseTheNext() throws Exception {
        final Counting module = new Counting(c -> {
            if (c.rank() == 1) {
                throw new IllegalStateException("no memory");
            }
            return bcast("replaced");
        });
        with("m", module).with("next", c -> QueryResult.usable(20, bcast("next")));
        assertEquals("next 1.0.0/next not [basic 1.0.0: priority 10 is below 20 of next, m 1.0.0: init failed: no memory (rank 1)]", bcastOn(4));
        assertEquals(3, module.disposals.get(), "of the ranks where init returned");
    }

    @Test
    void shouldLetModulesCommunicateDuringInit() throws Exception {
        final ConcurrentLinkedQueue<byte[]> heard = new ConcurrentLinkedQueue<>();
        with("m", new Counting(c -> {
            final byte[] token = {(byte) c.rank()};
            c.send(token, (c.rank() + 1) % c.size());
            token[0] = 99;
            final byte[] got = new byte[1];
            c.recv(got, (c.rank() + c.size() - 1) % c.size());
            assertEquals((c.rank() + c.size() - 1) % c.size(), got[0]);
            heard.add(got);
            return bcast("talked");
        }));
        assertTrue(bcastOn(5).startsWith("m 1.0.0/talked"));
        assertEquals(5, heard.size());
    }

    @Test
    void shouldEndTheWaitForAMessageOfARankWhereTheModuleHasFailed() throws Exception {
        with("m", new Counting(c -> {
            if (c.rank() == 2) {
                throw new IllegalStateException("no memory");
            }
            // rank 0 waits for rank 1, which fails since it waits for rank 2; an empty message is one
            c.recv(new byte[0], c.rank() + 1);
            return bcast("waited");
        }));
        assertEquals(
            "basic 1.0.0/binomial not [m 1.0.0: init failed: the module has failed on the rank of which it wants a message: from=1 (rank 0)]",
            bcastOn(3));
    }

    @Test
    void shouldRemoveWhatLeavesMessagesThatNobodyReceives() throws Exception {
        with("m", new Counting(c -> {
            c.send(new byte[3], 0);
            return bcast("careless");
        }));
        assertEquals("basic 1.0.0/binomial not [m 1.0.0: init left messages that no rank received: messages=3]", bcastOn(3));
    }

    @Test
    void shouldRefuseMessagesAfterInitAndToRanksOutOfRange() throws Exception {
        final ConcurrentLinkedQueue<SetupComm> comms = new ConcurrentLinkedQueue<>();
        with("m", new Counting(c -> {
            comms.add(c);
            c.send(new byte[1], c.size());
            return bcast("wild");
        }));
        assertEquals("basic 1.0.0/binomial not [m 1.0.0: init failed: peer out of range: peer=2, ranks=2 (rank 0)]", bcastOn(2));
        assertThrows(IllegalStateException.class, () -> comms.peek().send(new byte[1], 0));
        assertThrows(IllegalStateException.class, () -> comms.peek().split("all", 0, 0));
    }

    /** Returns a bcast to the leaders of both nodes, then within each node. */
    private static AlgorithmTable hierarchical(final SetupComm comm) {
        final CollSubComm node = comm.split("node", comm.nodeOf(comm.rank()), comm.rank());
        final CollSubComm leaders = comm.split("leaders", node.rank() == 0 ? 0 : -1, comm.rank());
        return AlgorithmTable.builder().intra(Operation.BCAST, "hierarchical", (call, plan) -> {
            final var data = Buffer.RECV.at(0, call.bytes());
            if (leaders != null) {
                AdvancedPlan.of(plan).nested(leaders, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
            }
            AdvancedPlan.of(plan).nested(node, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
        }).build();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 8})
    void shouldRunCollectivesOfSubCommunicatorsAsPartsOfPlans(final int ranks) throws Exception {
        modules.add(offered("m", c -> c.name().contains("/") ? new QueryResult.Declined("a part")
            : new Counting(SelectionTest::hierarchical).query(c)));
        run(ranks, rank -> {
            assertEquals("hierarchical", of(rank, Operation.BCAST).algorithm());
            for (int i = 0; i < 3; i++) {
                final long[] data = new long[2000];
                if (rank.worldRank() == 0) {
                    java.util.Arrays.setAll(data, k -> 7L * k);
                }
                rank.world().engine().blocking().bcast(data, data.length, Datatype.LONG, 0);
                assertEquals(7L * 1999, data[1999]);
                final long[] sum = new long[1];
                rank.world().engine().blocking().allreduce(new long[] {rank.worldRank()}, sum, 1, Datatype.LONG, Op.SUM);
                assertArrayEquals(new long[] {(long) ranks * (ranks - 1) / 2}, sum);
            }
        });
    }

    @Test
    void shouldNotHangWhenARankFailsBeforeASplit() throws Exception {
        modules.add(offered("m", c -> c.name().contains("/") ? new QueryResult.Declined("a part") : new Counting(comm -> {
            if (comm.rank() == 2) {
                throw new IllegalStateException("out of luck");
            }
            return hierarchical(comm);
        }).query(c)));
        final String said = bcastOn(5);
        assertTrue(said.startsWith("basic 1.0.0/binomial not [m 1.0.0: init failed: another rank did not call split node: "
            + "communicator=MPI_COMM_WORLD (rank 0)"), said);
    }

    @Test
    void shouldNotHangWhenAModuleTriesARefusedSplitAgain() throws Exception {
        modules.add(offered("m", c -> c.name().contains("/") ? new QueryResult.Declined("a part") : new Counting(comm -> {
            for (int tries = 0; comm.rank() != 2; tries++) {
                try {
                    comm.split("try-" + tries, 0, comm.rank());
                } catch (final IllegalStateException e) {
                    if (tries == 10_000) {
                        throw e;
                    }
                }
            }
            throw new IllegalStateException("out of luck");
        }).query(c)));
        final String said = bcastOn(5);
        assertTrue(said.startsWith("basic 1.0.0/binomial not [m 1.0.0: init failed: another rank did not call split try-10000: "), said);
    }

    /** Returns the failure of a job whose bcast has this plan. */
    private String failureOf(final Algorithm<Call.Bcast> algorithm) {
        with("bad", c -> QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BCAST, "wild", algorithm).build()));
        final AssertionError e = assertThrows(AssertionError.class, () -> run(4, rank -> {
            final int[] data = new int[100_000];
            rank.world().engine().blocking().bcast(data, data.length, Datatype.INT, 0);
        }));
        return e.getMessage();
    }

    @Test
    void shouldEndTheJobWithTheModulesNameWhenASendIsUnmatched() {
        final String said = failureOf((call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(Buffer.RECV.at(0, call.bytes()), 3);
            }
        });
        assertTrue(said.contains("plans of bcast do not fit together on MPI_COMM_WORLD") && said.contains("module bad 1.0.0, algorithm wild: "
            + "rank 0 sends 1 messages to rank 3, which receives 0"), said);
    }

    @Test
    void shouldEndTheJobWithTheModulesNameWhenAReceiveIsUnmatched() {
        final String said = failureOf((call, plan) -> {
            if (plan.rank() == 2) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), 1);
            }
        });
        assertTrue(said.contains("module bad 1.0.0, algorithm wild: rank 1 sends 0 messages to rank 2, which receives 1"), said);
    }

    @Test
    void shouldEndTheJobWithTheModulesNameWhenLengthsDiffer() {
        final String said = failureOf((call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(Buffer.RECV.at(0, call.bytes()), 1);
            } else if (plan.rank() == 1) {
                plan.recv(Buffer.RECV.at(0, call.bytes() - 4), 0);
            }
        });
        assertTrue(said.contains("message 0 from rank 0 to rank 1 is sent with 400000 bytes and received with 399996"), said);
    }

    @Test
    void shouldEndTheJobWithTheModulesNameWhenAPlanNamesARankOutOfRangeOrFails() {
        assertTrue(failureOf((call, plan) -> plan.send(Buffer.RECV.at(0, 4), plan.size()))
            .contains("module bad 1.0.0, algorithm wild: java.lang.IllegalArgumentException: peer out of range: peer=4, ranks=4"));
        modules.removeLast();
        assertTrue(failureOf((call, plan) -> {
            throw new IllegalStateException("a bug");
        }).contains("cannot plan bcast on MPI_COMM_WORLD"));
    }

    @Test
    void shouldEndTheJobWhenTheMessagesOfAnOperationDoNotMeetWhoseArgumentsOnlyItsRanksKnow() {
        with("bad", c -> QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.ALLTOALLV, "wild", (call, plan) -> {
            if (plan.rank() == 2) {
                plan.recv(call.recv().in(Buffer.RECV, 1), 1);
            }
        }).build()));
        final AssertionError e = assertThrows(AssertionError.class, () -> run(4, rank -> {
            final long[] ones = {1, 1, 1, 1};
            final long[] places = {0, 1, 2, 3};
            rank.world().engine().blocking().alltoallv(new int[4], ones, places, Datatype.INT, new int[4], ones, places, Datatype.INT);
        }));
        assertTrue(e.getMessage().contains("plans of alltoallv do not fit together on MPI_COMM_WORLD"), e.getMessage());
        assertTrue(e.getMessage().contains("rank 1 sends 0 messages to rank 2, which receives 1"), e.getMessage());
    }

    @Test
    void shouldEndTheJobWhenTheMessagesOfNeighboursDoNotMeet() {
        with("bad", c -> QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.NEIGHBOR_ALLTOALL, "wild", (call, plan) -> {
            plan.send(call.send().in(Buffer.SEND, 0), call.neighbors().destination(0));
            plan.recv(call.recv().in(Buffer.RECV, 1), call.neighbors().destination(0));
        }).build()));
        final AssertionError e = assertThrows(AssertionError.class, () -> run(4, rank -> {
            final int me = rank.worldRank();
            rank.world().engine().blocking().among(Neighborhood.opposite(new int[] {(me + 3) % 4, (me + 1) % 4}))
                .alltoall(new int[2], 1, Datatype.INT, new int[2], 1, Datatype.INT);
        }));
        assertTrue(e.getMessage().contains("plans of neighbor_alltoall do not fit together on MPI_COMM_WORLD"), e.getMessage());
    }
}
