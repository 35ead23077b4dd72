package tutti.runtime.collective;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.host.JobRanks;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.CanaryReport.CanaryClass;
import tutti.runtime.introspect.CanaryReport.Verdict;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.select.CanaryTrial;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/** Trials of modules in the shadow of those that serve. The candidate is version 1 of a module of which version 0 serves. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CanaryTest {
    private static final int WRONG_BYTES = 64;

    private final Map<LiveModules, JobRanks> nodes = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> inUse = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<CanaryReport> reports = new ConcurrentLinkedQueue<>();
    private final AtomicInteger begun = new AtomicInteger();
    private double share = 1;
    private double budget = 1e6;
    private int calls = 5;
    private boolean failsInit;
    private boolean declines;

    /** Sends from the root to each rank, into scratch memory, of which a part becomes the result. */
    private static void star(final Call.Bcast call, final Plan plan, final long copied) {
        if (plan.rank() == call.root()) {
            for (int r = 0; r < plan.size(); r++) {
                if (r != call.root()) {
                    plan.send(Buffer.RECV.at(0, call.bytes()), r);
                }
            }
            return;
        }
        final BufferRange data = plan.scratch(call.bytes());
        plan.recv(data, call.root());
        plan.copy(data.slice(0, copied), Buffer.RECV.at(0, copied));
    }

    private static void chain(final Call.Bcast call, final Plan plan) {
        final int own = Math.floorMod(plan.rank() - call.root(), plan.size());
        if (own > 0) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), Math.floorMod(plan.rank() - 1, plan.size()));
        }
        if (own < plan.size() - 1) {
            plan.send(Buffer.RECV.at(0, call.bytes()), (plan.rank() + 1) % plan.size());
        }
    }

    private OfferedModule version(final int number, final AlgorithmTable.Builder algorithms) {
        final AlgorithmTable table = algorithms.build();
        final CollModule module = comm -> declines && number == 1 && comm.rank() == 1 ? new QueryResult.Declined("planted")
            : new QueryResult.Usable(90, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return table;
                }

                @Override
                public AlgorithmTable init() {
                    if (failsInit && number == 1 && comm.rank() == 1) {
                        throw new IllegalStateException("planted");
                    }
                    if (comm.origin() != tutti.coll.CollComm.Origin.HIDDEN && !comm.isInter()) {
                        SetupComm.of(comm).split("halves", comm.rank() % 2, 0);
                    }
                    inUse.computeIfAbsent("v" + number, v -> new AtomicInteger()).incrementAndGet();
                    return table;
                }

                @Override
                public void dispose() {
                    inUse.get("v" + number).decrementAndGet();
                }
            });
        return new OfferedModule(new ModuleId("planted", new Version(1, 0, number), "test"), module);
    }

    private static AlgorithmTable.Builder bcast(final Algorithm<Call.Bcast> algorithm) {
        return AlgorithmTable.builder().intra(Operation.BCAST, "planted", algorithm);
    }

    private List<OfferedModule> offered(final OfferedModule version) {
        return List.of(new OfferedModule(new ModuleId("basic", new Version(1, 0, 0), "test"), new BasicModule()), version);
    }

    private static AgreedModules agreed(final List<OfferedModule> offered) {
        return new AgreedModules(offered.stream().map(OfferedModule::id).toList(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    }

    private JobModules plain(final int ranks, final int change, final OfferedModule version) {
        return modules(ranks, change, offered(version), null);
    }

    private static JobModules modules(final int ranks, final int change, final List<OfferedModule> offered, final @Nullable CanaryTrial trial) {
        return new JobModules("test", ranks, agreed(offered), offered).changed(agreed(offered), offered, change, trial);
    }

    private JobModules trial(final int ranks, final int change, final OfferedModule serving, final OfferedModule candidate) {
        return modules(ranks, change, offered(serving), new CanaryTrial(plain(ranks, change, candidate), share, budget, calls));
    }

    /** Runs ranks whose version 0 is joined by a candidate in its shadow before the body begins. */
    private void run(final int ranks, final int nodeCount, final AlgorithmTable.Builder serving, final AlgorithmTable.Builder candidate,
        final Ranks.Body body) throws Exception {
        final OfferedModule old = version(0, serving);
        final OfferedModule tried = version(1, candidate);
        final CountDownLatch known = new CountDownLatch(ranks);
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, nodeCount, transport, plain(ranks, 0, old), rank -> {
                final JobRanks job = (JobRanks) rank.context().job();
                job.reportCanariesTo(r -> {
                    if (r.verdict() != Verdict.RUNNING) {
                        reports.add(r);
                    } else if (r.shadows() == 0) {
                        begun.incrementAndGet();
                    }
                });
                nodes.put(job.live(), job);
                known.countDown();
                assertTrue(known.await(90, TimeUnit.SECONDS));
                if (rank.worldRank() == 0) {
                    nodes.keySet().forEach(n -> n.accept(trial(ranks, 1, old, tried)));
                    nodes.keySet().forEach(n -> n.follow(1));
                }
                follow(rank, 1);
                body.run(rank);
            });
        }
        // a round of changes may end with its ranks
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> inUse.forEach((version, count) -> assertEquals(0, count.get(), version)));
    }

    /** Has a communicator take a change that some rank has made; to be called by all ranks. */
    private static void follow(final Rank rank, final int change) throws Exception {
        rank.world().engine().blocking().barrier();
        rank.follow().toCompletableFuture().get(60, TimeUnit.SECONDS);
        // calls before the one that the ranks have agreed on are of the earlier epoch
        final int[] waiting = {1};
        while (waiting[0] > 0) {
            waiting[0] = rank.world().engine().table().change() >= change ? 0 : 1;
            rank.world().engine().blocking().allreduce(waiting.clone(), waiting, 1, Datatype.INT, Op.SUM);
        }
    }

    private static void bcast(final Communicator comm, final int bytes, final int value) {
        final byte[] data = new byte[bytes];
        final int root = value % comm.size();
        Arrays.fill(data, (byte) (comm.rank() == root ? value : -1));
        comm.engine().blocking().bcast(data, bytes, Datatype.BYTE, root);
        final byte[] expected = new byte[bytes];
        Arrays.fill(expected, (byte) value);
        assertArrayEquals(expected, data);
    }

    private static Verdict verdict(final Communicator comm) {
        final CanaryReport report = comm.engine().canary();
        assertNotNull(report);
        return report.verdict();
    }

    /** Calls until a verdict; all ranks find it at the same call. */
    private static Verdict callUntilVerdict(final Communicator comm, final int[] sizes) {
        for (int i = 0; i < 3000 && verdict(comm) == Verdict.RUNNING; i++) {
            bcast(comm, sizes[i % sizes.length], i % 100);
        }
        return verdict(comm);
    }

    private CanaryReport report(final String comm) {
        final List<CanaryReport> of = reports.stream().filter(r -> r.communicator().equals(comm)).toList();
        assertEquals(1, of.size(), () -> "reports: " + reports);
        assertEquals(reports.size(), begun.get());
        return of.getFirst();
    }

    private CanaryReport ofWorld() {
        return report("MPI_COMM_WORLD");
    }

    private static CanaryClass classOf(final CanaryReport report, final String operation, final long from) {
        return report.classes().stream().filter(c -> c.operation().equals(operation) && c.fromBytes() == from).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "5, 1", "2, 2", "4, 2", "5, 3"})
    void shouldFindACandidateThatIsWrongAtOneSize(final int ranks, final int nodeCount) throws Exception {
        run(ranks, nodeCount, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes() == WRONG_BYTES ? 63 : call.bytes())),
            rank -> assertEquals(Verdict.WRONG, callUntilVerdict(rank.world(), new int[] {8, 1000, WRONG_BYTES})));
        final CanaryReport report = ofWorld();
        assertEquals(Verdict.WRONG, report.verdict());
        final CanaryReport.Difference difference = report.difference();
        assertNotNull(difference);
        assertEquals("bcast", difference.operation());
        assertEquals(WRONG_BYTES, difference.bytes());
        assertTrue(difference.what().startsWith("byte 63: expected 0x"), difference::what);
        assertEquals(1, classOf(report, "bcast", 64).differences());
        assertEquals(0, classOf(report, "bcast", 8).differences());
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2"})
    void shouldFindACandidateThatIsSlowAtOneSize(final int ranks, final int nodeCount) throws Exception {
        calls = 20;
        run(ranks, nodeCount, bcast(CanaryTest::chain), bcast((call, plan) -> {
            if (call.bytes() == 4096) {
                // each round waits for the one before
                final BufferRange token = plan.scratch(8);
                for (int i = 0; i < 300; i++) {
                    plan.send(token, (plan.rank() + 1) % plan.size());
                    plan.recv(token, Math.floorMod(plan.rank() - 1, plan.size()));
                }
            }
            chain(call, plan);
        }), rank -> assertEquals(Verdict.SLOW, callUntilVerdict(rank.world(), new int[] {16, 4096})));
        final CanaryReport report = ofWorld();
        assertEquals(Verdict.SLOW, report.verdict());
        assertTrue(report.reason().contains("bcast from 4096 bytes takes "), report::reason);
        assertTrue(classOf(report, "bcast", 4096).ratio() > 1.1, report::toString);
        assertNull(report.difference());
    }

    @ParameterizedTest
    @CsvSource({"3, 1", "4, 2"})
    void shouldNotFindACandidateWrongThatIsRight(final int ranks, final int nodeCount) throws Exception {
        run(ranks, nodeCount, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            final Verdict found = callUntilVerdict(rank.world(), new int[] {8, 1000});
            // the other algorithm may be slower
            assertNotEquals(Verdict.WRONG, found);
        });
        final CanaryReport report = ofWorld();
        assertNull(report.difference());
        assertEquals(0, report.classes().stream().mapToInt(CanaryClass::differences).sum());
        assertTrue(report.classes().stream().filter(c -> c.operation().equals("bcast")).allMatch(c -> c.compared() > 0), report::toString);
    }

    @Test
    void shouldAbandonATrialOfACandidateThatServesNoneOfTheCalls() throws Exception {
        run(3, 2, bcast(CanaryTest::chain), bcast(CanaryTest::chain), rank -> {
            for (int i = 0; i < 200; i++) {
                rank.world().engine().blocking().barrier();
            }
            assertEquals(Verdict.ABANDONED, verdict(rank.world()));
        });
        assertEquals("the same algorithm serves", classOf(ofWorld(), "barrier", 0).exclusion());
    }

    @Test
    void shouldFindACandidateWrongWhosePlanningThrows() throws Exception {
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> {
            if (plan.rank() == 1 && call.bytes() == WRONG_BYTES) {
                throw new IllegalStateException("planted");
            }
            chain(call, plan);
        }), rank -> assertEquals(Verdict.WRONG, callUntilVerdict(rank.world(), new int[] {8, WRONG_BYTES})));
        assertTrue(ofWorld().reason().contains("rank 1: cannot be planned"), ofWorld()::reason);
    }

    @Test
    void shouldFindACandidateWrongWhoseInitFails() throws Exception {
        failsInit = true;
        run(3, 2, bcast(CanaryTest::chain), bcast(CanaryTest::chain),
            rank -> assertEquals(Verdict.WRONG, callUntilVerdict(rank.world(), new int[] {8})));
        assertTrue(ofWorld().reason().contains("init failed"), ofWorld()::reason);
    }

    @Test
    void shouldAbandonATrialOfACandidateThatServesNothing() throws Exception {
        declines = true;
        run(3, 2, bcast(CanaryTest::chain), bcast(CanaryTest::chain),
            rank -> assertEquals(Verdict.ABANDONED, callUntilVerdict(rank.world(), new int[] {8})));
        assertTrue(ofWorld().reason().startsWith("it serves no calls here: module planted 1.0.1"), ofWorld()::reason);
        assertEquals(0, ofWorld().shadows());
    }

    /** All pairs of messages match, but each rank receives before it sends. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldGoOnWhereTheCandidateDoesNotEnd(final int nodeCount) throws Exception {
        run(3, nodeCount, bcast(CanaryTest::chain), bcast((call, plan) -> {
            final BufferRange token = plan.scratch(8);
            final BufferRange other = plan.scratch(8);
            if (call.bytes() == WRONG_BYTES) {
                plan.send(other, (plan.rank() + 1) % plan.size(), plan.recv(token, Math.floorMod(plan.rank() - 1, plan.size())));
            }
            chain(call, plan);
        }), rank -> {
            assertEquals(Verdict.WRONG, callUntilVerdict(rank.world(), new int[] {8, WRONG_BYTES}));
            for (int i = 0; i < 50; i++) {
                bcast(rank.world(), WRONG_BYTES, i);
            }
        });
        assertTrue(ofWorld().reason().contains("does not end"), ofWorld()::reason);
    }

    /** Adds up along the ranks from the first on, or from the last on. */
    private static void addInOrder(final Call.Allreduce call, final Plan plan, final boolean rises) {
        final int step = rises ? 1 : -1;
        final int first = rises ? 0 : plan.size() - 1;
        final int last = plan.size() - 1 - first;
        final BufferRange sum = Buffer.RECV.at(0, call.bytes());
        if (!call.inPlace()) {
            plan.copy(call.input(), sum);
        }
        if (plan.rank() != first) {
            final BufferRange part = plan.scratch(call.bytes());
            plan.recv(part, plan.rank() - step);
            plan.reduce(call.reduction(), part, sum);
        }
        if (plan.rank() != last) {
            plan.send(sum, plan.rank() + step);
            plan.recv(sum, plan.rank() + step);
        }
        if (plan.rank() != first) {
            plan.send(sum, plan.rank() - step);
        }
    }

    private static AlgorithmTable.Builder allreduce(final Algorithm<Call.Allreduce> algorithm) {
        return AlgorithmTable.builder().intra(Operation.ALLREDUCE, "planted", algorithm);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAllowSumsInAnotherOrder(final boolean inPlace) throws Exception {
        calls = 20;
        run(5, 2, allreduce((call, plan) -> addInOrder(call, plan, true)), allreduce((call, plan) -> addInOrder(call, plan, false)), rank -> {
            final double[] send = new double[100];
            final double[] recv = new double[100];
            for (int i = 0; i < 300 && verdict(rank.world()) == Verdict.RUNNING; i++) {
                for (int k = 0; k < send.length; k++) {
                    send[k] = Math.sin(1 + k + 100 * rank.worldRank() + i) * Math.pow(10, k % 17);
                }
                final double[] data = inPlace ? send.clone() : recv;
                rank.world().engine().blocking().allreduce(inPlace ? Reserved.IN_PLACE : send, data, 100, Datatype.DOUBLE, Op.SUM);
                double expected = 0;
                for (int r = 0; r < 5; r++) {
                    expected = Math.sin(1 + 3 + 100 * r + i) * 1000 + expected;
                }
                assertEquals(expected, data[3]);
            }
            assertTrue(verdict(rank.world()) != Verdict.RUNNING && verdict(rank.world()) != Verdict.WRONG);
        });
        assertNull(ofWorld().difference());
        assertTrue(classOf(ofWorld(), "allreduce", 512).compared() >= 20, ofWorld()::toString);
        assertEquals(0, classOf(ofWorld(), "allreduce", 512).unverified());
    }

    @Test
    void shouldFindASumThatLacksAnOperand() throws Exception {
        run(4, 2, allreduce((call, plan) -> addInOrder(call, plan, true)), allreduce((call, plan) -> {
            final BufferRange sum = Buffer.RECV.at(0, call.bytes());
            plan.copy(call.input(), sum);
            if (plan.rank() < 2) {
                final BufferRange part = plan.scratch(call.bytes());
                plan.send(sum, 1 - plan.rank());
                plan.recv(part, 1 - plan.rank());
                plan.reduce(call.reduction(), part, sum);
            }
        }), rank -> {
            final double[] recv = new double[2];
            for (int i = 0; i < 100 && verdict(rank.world()) == Verdict.RUNNING; i++) {
                rank.world().engine().blocking().allreduce(new double[] {0.25, 0.5}, recv, 2, Datatype.DOUBLE, Op.SUM);
                assertArrayEquals(new double[] {1, 2}, recv);
            }
            assertEquals(Verdict.WRONG, verdict(rank.world()));
        });
        assertTrue(ofWorld().reason().endsWith("rank 0: byte 0: expected 1.0, got 0.5"), ofWorld()::reason);
    }

    /** Data with gaps is packed; the blocks of allgatherv have gaps between them. */
    @Test
    void shouldCompareDataWithGaps() throws Exception {
        calls = 1_000_000;
        final Algorithm<Call.Allgather> direct = (call, plan) -> {
            final BufferRange own = call.recv().in(Buffer.RECV, plan.rank());
            if (!call.inPlace()) {
                plan.copy(call.input(plan.rank()), own);
            }
            for (int r = 0; r < plan.size(); r++) {
                if (r != plan.rank()) {
                    plan.send(own, r);
                    plan.recv(call.recv().in(Buffer.RECV, r), r);
                }
            }
        };
        final AlgorithmTable.Builder candidate = AlgorithmTable.builder().intra(Operation.ALLGATHERV, "planted", direct);
        run(3, 2, bcast(CanaryTest::chain), candidate, rank -> {
            final Datatype spaced = Datatype.vector(3, 1, 2, Datatype.INT);
            for (int i = 0; i < 100; i++) {
                final int[] recv = new int[12];
                Arrays.fill(recv, -1);
                recv[4 * rank.worldRank() + 1] = 10 * i + rank.worldRank();
                rank.world().engine().blocking().allgatherv(i % 2 == 0 ? Reserved.IN_PLACE : new int[] {10 * i + rank.worldRank()}, 1, Datatype.INT,
                    recv,
                    new long[] {1, 1, 1}, new long[] {1, 5, 9}, Datatype.INT);
                assertArrayEquals(new int[] {-1, 10 * i, -1, -1, -1, 10 * i + 1, -1, -1, -1, 10 * i + 2, -1, -1}, recv);
                final int[] gaps = new int[6];
                if (rank.worldRank() == 0) {
                    Arrays.setAll(gaps, k -> k);
                }
                rank.world().engine().blocking().bcast(gaps, 1, spaced, 0);
                assertArrayEquals(rank.worldRank() == 0 ? new int[] {0, 1, 2, 3, 4, 5} : new int[] {0, 0, 2, 0, 4, 0}, gaps);
            }
        });
        assertEquals(0, ofWorld().classes().stream().mapToInt(CanaryClass::differences).sum(), ofWorld()::toString);
        assertTrue(classOf(ofWorld(), "allgatherv", 8).compared() >= 5, ofWorld()::toString);
        assertTrue(classOf(ofWorld(), "bcast", 8).compared() >= 5, ofWorld()::toString);
    }

    @Test
    void shouldHoldTheBudget() throws Exception {
        budget = 0.05;
        share = 0.5;
        calls = 1_000_000;
        final AtomicReference<CanaryReport> last = new AtomicReference<>();
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            final int[] compared = {0};
            for (int n = 0; n < 5_000 && compared[0] < 10; n++) {
                for (int i = 0; i < 20; i++) {
                    bcast(rank.world(), 100, i);
                }
                final int[] own = {(int) rank.world().engine().canary().shadows()};
                rank.world().engine().blocking().allreduce(own, compared, 1, Datatype.INT, Op.MIN);
            }
            if (rank.worldRank() == 0) {
                last.set(rank.world().engine().canary());
            }
        });
        final CanaryReport report = last.get();
        assertTrue(report.shadows() >= 10, report::toString);
        // each begins within the budget; the last one may exceed it
        assertTrue(report.shadowNanos() < 0.05 * 3 * report.totalNanos(), report::toString);
        final long used = report.classes().stream().mapToLong(CanaryClass::used).sum();
        assertTrue(report.shadows() < used / 2, report::toString);
    }

    @Test
    void shouldCompareNoMoreThanTheShareOfTheCalls() throws Exception {
        share = 0.1;
        calls = 1000;
        final AtomicReference<CanaryReport> last = new AtomicReference<>();
        run(2, 1, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            for (int i = 0; i < 500; i++) {
                bcast(rank.world(), 100, i % 100);
            }
            if (rank.worldRank() == 0) {
                last.set(rank.world().engine().canary());
            }
        });
        assertEquals(Verdict.RUNNING, last.get().verdict());
        assertTrue(last.get().shadows() >= 45 && last.get().shadows() <= 50, last::toString);
    }

    /** The next change comes while calls are compared: it promotes the candidate, or goes back. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldTakeTheNextChangeInTheMidstOfATrial(final int nodeCount) throws Exception {
        calls = 1_000_000;
        final OfferedModule promoted = version(1, bcast((call, plan) -> star(call, plan, call.bytes())));
        final OfferedModule back = version(0, bcast(CanaryTest::chain));
        run(4, nodeCount, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            for (int c = 2; c < 10; c++) {
                final int change = c;
                if (rank.worldRank() == 0) {
                    nodes.keySet().forEach(n -> n.accept(change % 2 == 0 ? plain(4, change, promoted) : trial(4, change, back, promoted)));
                    nodes.keySet().forEach(n -> n.follow(change));
                }
                for (int i = 0; i < 30; i++) {
                    bcast(rank.world(), 100, i);
                    if (i == rank.worldRank()) {
                        rank.follow().toCompletableFuture();
                    }
                }
                follow(rank, change);
                assertEquals(change % 2 == 1, rank.world().engine().canary() != null);
            }
        });
        assertTrue(reports.stream().allMatch(r -> r.verdict() == Verdict.ABANDONED), reports::toString);
    }

    @Test
    void shouldFreeCommunicatorsDuringATrial() throws Exception {
        calls = 1_000_000;
        final OfferedModule old = version(0, bcast(CanaryTest::chain));
        final OfferedModule tried = version(1, bcast((call, plan) -> star(call, plan, call.bytes())));
        run(4, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            final List<Communicator> made = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                made.add(rank.world().split(rank.worldRank() % 2, 0));
                made.add(rank.world().dup());
            }
            if (rank.worldRank() == 0) {
                nodes.keySet().forEach(n -> n.accept(trial(4, 2, old, tried)));
                nodes.keySet().forEach(n -> n.follow(2));
            }
            follow(rank, 2);
            for (final Communicator comm : made) {
                for (int i = 0; i < 10; i++) {
                    bcast(comm, 8, i);
                }
                assertEquals(Verdict.RUNNING, verdict(comm));
                comm.free();
            }
            rank.world().engine().blocking().barrier();
        });
        assertTrue(reports.size() >= 12, reports::toString);
    }

    @Test
    void shouldEndTheTrialOfACallThatFails() throws Exception {
        calls = 1_000_000;
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            for (int i = 0; i < 10; i++) {
                bcast(rank.world(), 8, i);
            }
            final Op failing = Op.user("failing", true, (a, b, count, type) -> {
                throw new IllegalStateException("planted");
            });
            try {
                rank.world().engine().blocking().allreduce(new int[] {1}, new int[1], 1, Datatype.INT, failing);
            } catch (final MpiFailure e) {
                assertTrue(e.getMessage().contains("fail"), e::getMessage);
            }
            for (int i = 0; i < 10; i++) {
                bcast(rank.world(), 8, i);
            }
            assertEquals(Verdict.ABANDONED, verdict(rank.world()));
        });
    }

    /** The root sends data to ranks that make other calls: they make the call only when the root has gone on. */
    @Test
    void shouldNotHangWhereAProgramReliesOnCallsThatDoNotWait() throws Exception {
        calls = 1_000_000;
        final CountDownLatch wentOn = new CountDownLatch(1);
        run(2, 1, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            for (int i = 0; i < 10; i++) {
                bcast(rank.world(), 8, i);
            }
            if (rank.worldRank() == 1) {
                assertTrue(wentOn.await(60, TimeUnit.SECONDS));
            }
            bcast(rank.world(), 8, 0);
            wentOn.countDown();
            for (int i = 0; i < 10; i++) {
                bcast(rank.world(), 8, i);
            }
            assertEquals(Verdict.ABANDONED, verdict(rank.world()));
        });
        assertTrue(ofWorld().reason().contains("later"), ofWorld()::reason);
    }

    private static void ibcast(final Communicator comm, final int bytes, final int value) {
        final byte[] data = new byte[bytes];
        final int root = value % comm.size();
        Arrays.fill(data, (byte) (comm.rank() == root ? value : -1));
        final Request request = comm.engine().nonblocking().bcast(data, bytes, Datatype.BYTE, root);
        request.await();
        final byte[] expected = new byte[bytes];
        Arrays.fill(expected, (byte) value);
        assertArrayEquals(expected, data);
        Arrays.fill(data, (byte) 17);
    }

    @Test
    void shouldNotCompareNonblockingCallsWhereRanksNeverMeet() throws Exception {
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, 0)), rank -> {
            for (int i = 0; i < 50; i++) {
                ibcast(rank.world(), 8, i);
            }
            assertEquals(Verdict.RUNNING, verdict(rank.world()));
        });
    }

    /** The ranks meet in calls whose algorithms are the same. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 0.5, 0.1})
    void shouldCompareNonblockingCallsInTheNextBlockingOne(final double part) throws Exception {
        share = part;
        calls = 1_000_000;
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes() == WRONG_BYTES ? 63 : call.bytes())), rank -> {
            // no stride meets one size alone
            final Random random = new Random(1);
            for (int i = 0; i < 1000 && verdict(rank.world()) == Verdict.RUNNING; i++) {
                ibcast(rank.world(), random.nextBoolean() ? 8 : WRONG_BYTES, i % 100);
                rank.world().engine().blocking().barrier();
            }
            assertEquals(Verdict.WRONG, verdict(rank.world()));
        });
        final CanaryReport.Difference difference = ofWorld().difference();
        assertNotNull(difference);
        assertEquals(WRONG_BYTES, difference.bytes());
        assertTrue(difference.what().startsWith("byte 63: expected 0x"), difference::what);
    }

    @Test
    void shouldCompareNonblockingCallsBesideBlockingOnes() throws Exception {
        calls = 1_000_000;
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            for (int i = 0; i < 200; i++) {
                ibcast(rank.world(), 8, i % 100);
                bcast(rank.world(), 100, i % 100);
            }
        });
        final CanaryReport report = ofWorld();
        assertEquals(0, report.classes().stream().mapToInt(CanaryClass::differences).sum());
        assertTrue(classOf(report, "bcast", 8).compared() > 0 && classOf(report, "bcast", 64).compared() > 0, report::toString);
    }

    /** Ranks start persistent calls in different orders, and one of them is freed on some ranks before the others free it. */
    @Test
    void shouldComparePersistentCalls() throws Exception {
        run(3, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes() == WRONG_BYTES ? 63 : call.bytes())), rank -> {
            final Communicator world = rank.world();
            final byte[] few = new byte[8];
            final byte[] many = new byte[WRONG_BYTES];
            final PersistentRequest freed = world.engine().persistent().bcast(new byte[8], 8, Datatype.BYTE, 0);
            final PersistentRequest right = world.engine().persistent().bcast(few, 8, Datatype.BYTE, 1);
            final PersistentRequest wrong = world.engine().persistent().bcast(many, WRONG_BYTES, Datatype.BYTE, 2);
            if (rank.worldRank() == 1) {
                freed.free();
            }
            for (int i = 0; i < 1000 && verdict(world) == Verdict.RUNNING; i++) {
                Arrays.fill(few, (byte) (rank.worldRank() == 1 ? i : -1));
                Arrays.fill(many, (byte) (rank.worldRank() == 2 ? i + 1 : -1));
                (rank.worldRank() == 0 ? right : wrong).start();
                (rank.worldRank() == 0 ? wrong : right).start();
                right.await();
                wrong.await();
                assertEquals((byte) i, few[7]);
                assertEquals((byte) (i + 1), many[63]);
                world.engine().blocking().barrier();
            }
            assertEquals(Verdict.WRONG, verdict(world));
            right.free();
            wrong.free();
            if (rank.worldRank() != 1) {
                freed.free();
            }
        });
        final CanaryReport.Difference difference = ofWorld().difference();
        assertNotNull(difference);
        assertEquals(WRONG_BYTES, difference.bytes());
        assertTrue(classOf(ofWorld(), "bcast", 8).compared() > 0, ofWorld()::toString);
    }

    /** Calls of all forms, with changes of hints and communicators between them, while trials and other changes come at any time. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void shouldGiveRightResultsWhileTrialsComeAndGo(final int ranks) throws Exception {
        calls = 20;
        final OfferedModule one = version(0, bcast(CanaryTest::chain));
        final OfferedModule two = version(1, bcast((call, plan) -> star(call, plan, call.bytes())));
        final AtomicInteger changes = new AtomicInteger(1);
        final AtomicInteger running = new AtomicInteger(ranks);
        final AtomicBoolean isOver = new AtomicBoolean();
        final AtomicInteger steps = new AtomicInteger();
        run(ranks, 2, bcast(CanaryTest::chain), bcast((call, plan) -> star(call, plan, call.bytes())), rank -> {
            final Thread following = Thread.ofPlatform().daemon().start(() -> {
                while (rank.worldRank() == 0 ? running.get() == ranks : !isOver.get()) {
                    // some changes come before the one before is agreed on, others have time for comparisons
                    if (rank.worldRank() == 0 && steps.get() >= 30 * (changes.get() - 1) - changes.get() % 5 * 20) {
                        final int c = changes.incrementAndGet();
                        nodes.keySet().forEach(n -> n.accept(c % 3 == 0 ? plain(ranks, c, two) : trial(ranks, c, c % 2 == 0 ? one : two, two)));
                        nodes.keySet().forEach(n -> n.follow(c));
                    }
                    rank.follow().toCompletableFuture().join();
                    Thread.yield();
                }
            });
            final Random random = new Random(ranks);
            final List<Communicator> comms = new ArrayList<>(List.of(rank.world()));
            final List<byte[]> data = List.of(new byte[8], new byte[8]);
            final List<PersistentRequest> persistent =
                data.stream().map(d -> rank.world().engine().persistent().bcast(d, 8, Datatype.BYTE, 1)).toList();
            for (int i = 0; i < 1500; i++) {
                step(comms, random.nextInt(20), random.nextInt(1 << 20), i % 100);
                steps.compareAndSet(i - 1, i);
                if (i % 4 == 0) {
                    data.forEach(d -> Arrays.fill(d, (byte) (rank.worldRank() == 1 ? 3 : -1)));
                    persistent.forEach(PersistentRequest::start);
                    persistent.forEach(PersistentRequest::await);
                    data.forEach(d -> assertEquals(3, d[7]));
                }
            }
            persistent.forEach(PersistentRequest::free);
            comms.stream().skip(1).forEach(Communicator::free);
            running.decrementAndGet();
            if (rank.worldRank() == 0) {
                following.join();
                isOver.set(true);
            }
            following.join();
        });
        assertTrue(reports.stream().noneMatch(r -> r.verdict() == Verdict.WRONG), reports::toString);
        assertTrue(reports.stream().noneMatch(r -> r.reason().contains("error") || r.reason().contains("different")), reports::toString);
        assertTrue(reports.stream().anyMatch(r -> r.shadows() > 0), reports::toString);
    }

    private static void step(final List<Communicator> comms, final int what, final int random, final int value) {
        final Communicator comm = comms.get(random % comms.size());
        switch (what) {
            case 0 -> {
                if (comms.size() < 5) {
                    comms.add(comm.dup());
                }
            }
            case 1 -> {
                if (comms.size() > 2) {
                    comms.remove(1 + random % (comms.size() - 1)).free();
                }
            }
            case 2 -> comm.setHints(Map.of("tutti_coll_bcast", random % 2 == 0 ? "basic" : "planted"));
            case 3, 4, 5 -> ibcast(comm, 8 << random % 4, value);
            default -> bcast(comm, 8 << random % 4, value);
        }
    }
}
