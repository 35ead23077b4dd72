package tutti.runtime.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;
import tutti.coll.advanced.Checkpointable;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.checkpoint.agreement.PointAgreement;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.MatchedMessage;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Tests checkpoints of ranks on one and on several nodes, and jobs that continue from them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CheckpointTest {
    private static final int RANKS = 5;

    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    /** True if modules fail to resume. */
    private volatile boolean isStuck;

    private static void run(final MemoryStorage storage, final int nodes, final Map<String, String> parameters, final List<CollModule> modules,
        final Ranks.Body body) throws Exception {
        final List<CollModule> all = new ArrayList<>(modules);
        all.add(new BasicModule());
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(transport, List.of(new Ranks.Job(IntStream.range(0, RANKS).map(r -> r % nodes).boxed().toList(),
                Ranks.job(RANKS, parameters, all), body, storage)));
        }
    }

    private static void run(final MemoryStorage storage, final Ranks.Body body) throws Exception {
        run(storage, 2, Map.of(), List.of(), body);
    }

    private static int sum(final Communicator comm, final int value) {
        final int[] sum = {value};
        comm.engine().blocking().allreduce(Reserved.IN_PLACE, sum, 1, Datatype.INT, Op.SUM);
        return sum[0];
    }

    private static RankCheckpoints counting(final Rank rank, final long[] count) {
        final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
        if (checkpoints.savedBytes("long[]", "count") >= 0) {
            assertEquals(8L * count.length, checkpoints.savedBytes("long[]", "count"));
            checkpoints.read("long[]", "count", MemorySegment.ofArray(count));
        }
        checkpoints.register("long[]", "count", () -> MemorySegment.ofArray(count));
        return checkpoints;
    }

    @Test
    void shouldContinueWithTheStateOfTheLastPoint() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, 3, Map.of("checkpoint.every", "4"), List.of(), rank -> {
            final long[] count = new long[3];
            final RankCheckpoints checkpoints = counting(rank, count);
            assertFalse(checkpoints.isRestart());
            for (int i = 1; i <= 10; i++) {
                count[1] += rank.worldRank() + sum(rank.world(), 1);
                assertEquals(i % 4 == 0, checkpoints.here());
            }
        });
        assertEquals(List.of(2), storage.complete());
        assertEquals(1, storage.written());
        run(new MemoryStorage(storage), 2, Map.of(), List.of(), rank -> {
            final long[] count = new long[3];
            final RankCheckpoints checkpoints = counting(rank, count);
            assertTrue(checkpoints.isRestart());
            assertEquals(8, checkpoints.point());
            assertArrayEquals(new long[] {0, 8 * (rank.worldRank() + RANKS), 0}, count);
            assertTrue(checkpoints.force());
        });
    }

    @Test
    void shouldSaveAtOnePointWhenAskedWhileRanksRun() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        final ConcurrentSkipListMap<Integer, Long> saved = new ConcurrentSkipListMap<>();
        run(storage, rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            if (rank.worldRank() == 0) {
                final PointAgreement here = rank.context().job().checkpoints().points();
                final CountDownLatch asked = new CountDownLatch(1);
                Thread.ofPlatform().daemon().start(() -> {
                    here.ask();
                    asked.countDown();
                });
                asked.await();
            }
            final int ahead = rank.worldRank() * 7;
            for (int i = 0; i < ahead; i++) {
                // ranks are at different points when the question is answered
                Thread.onSpinWait();
            }
            rank.world().engine().blocking().barrier();
            decide(rank, 20);
            while (!checkpoints.here()) {
                assertTrue(checkpoints.point() < 100);
            }
            saved.put(rank.worldRank(), checkpoints.point());
        });
        assertEquals(RANKS, saved.size());
        assertEquals(1, saved.values().stream().distinct().count(), saved::toString);
        assertEquals(20, saved.get(0));
        assertEquals(List.of(1), storage.complete());
    }

    /** Asks, and decides, on each of two nodes, by its first rank. */
    private static void decide(final Rank rank, final long point) {
        if (rank.worldRank() < 2) {
            final PointAgreement points = rank.context().job().checkpoints().points();
            assertTrue(points.ask() < point);
            points.decide(point);
        }
        rank.world().engine().blocking().barrier();
    }

    @Test
    void shouldWaitAtThePointAfterTheLastOneUntilItIsDecided() throws Exception {
        final PointAgreement points = new PointAgreement(2);
        final AtomicLong waits = new AtomicLong();
        assertFalse(points.reach(0, 5, s -> waits.incrementAndGet()));
        assertFalse(points.reach(1, 3, s -> waits.incrementAndGet()));
        assertEquals(5, points.ask());
        assertFalse(points.reach(1, 4, s -> {
            waits.incrementAndGet();
            points.decide(6);
        }));
        assertFalse(points.reach(1, 5, s -> waits.incrementAndGet()));
        assertTrue(points.reach(1, 6, s -> waits.incrementAndGet()));
        assertTrue(points.reach(0, 6, s -> waits.incrementAndGet()));
        assertFalse(points.reach(0, 7, s -> waits.incrementAndGet()));
        assertEquals(1, waits.get());
        assertEquals(7, points.ask());
        points.decide(0);
        assertFalse(points.reach(0, 8, s -> waits.incrementAndGet()));
        assertEquals(1, waits.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "full"})
    void shouldSaveMessagesThatNobodyHasReceived(final String check) throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        final Map<String, String> parameters = Map.of("check", check);
        run(storage, 2, parameters, List.of(), rank -> {
            final Communicator other = rank.world().dup();
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            checkpoints.register("Intracomm", "other", other, () -> MemorySegment.ofArray(new byte[0]));
            final int next = (rank.worldRank() + 1) % RANKS;
            for (int i = 0; i < 3; i++) {
                rank.world().messages().send(SendMode.STANDARD, new int[] {i, rank.worldRank()}, 2, Datatype.INT, next, 7);
            }
            other.messages().send(SendMode.STANDARD, new long[500], 500, Datatype.LONG, next, 8);
            rank.self().messages().send(SendMode.STANDARD, new int[] {4}, 1, Datatype.INT, 0, 9);
            assertTrue(checkpoints.force());
            receiveAll(rank, other);
        });
        run(new MemoryStorage(storage), 3, parameters, List.of(), rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final Communicator other = rank.world().dup();
            checkpoints.register("Intracomm", "other", other, () -> MemorySegment.ofArray(new byte[0]));
            final int next = (rank.worldRank() + 1) % RANKS;
            // comes after the saved ones
            rank.world().messages().send(SendMode.STANDARD, new int[] {3, rank.worldRank()}, 2, Datatype.INT, next, 7);
            receiveAll(rank, other);
            final int[] last = new int[2];
            rank.world().messages().recv(last, 2, Datatype.INT, (rank.worldRank() + RANKS - 1) % RANKS, 7);
            assertEquals(3, last[0]);
        });
    }

    private static void receiveAll(final Rank rank, final Communicator other) {
        final int before = (rank.worldRank() + RANKS - 1) % RANKS;
        for (int i = 0; i < 3; i++) {
            final int[] data = new int[2];
            rank.world().messages().recv(data, 2, Datatype.INT, before, 7);
            assertArrayEquals(new int[] {i, before}, data);
        }
        assertEquals(4000, other.messages().recv(new long[500], 500, Datatype.LONG, before, 8).bytes());
        final int[] own = new int[1];
        rank.self().messages().recv(own, 1, Datatype.INT, 0, 9);
        assertEquals(4, own[0]);
    }

    @Test
    void shouldRefuseAPointAtWhichARankHasOperationsUnderWay() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final Request receive = rank.worldRank() == 3 ? rank.world().messages().irecv(new int[1], 1, Datatype.INT, 0, 1) : null;
            assertFalse(checkpoints.force());
            if (rank.worldRank() == 0) {
                rank.world().messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 3, 1);
            }
            if (receive != null) {
                receive.await();
            }
            final Request barrier = rank.worldRank() == 2 ? rank.world().engine().nonblocking().barrier() : null;
            assertFalse(checkpoints.force());
            if (barrier == null) {
                rank.world().engine().blocking().barrier();
            } else {
                barrier.await();
            }
        });
        assertEquals(List.of(), storage.complete());
    }

    @Test
    void shouldKeepTheCheckpointBeforeWhereAStepFails() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, rank -> {
            final long[] count = new long[1];
            final RankCheckpoints checkpoints = counting(rank, count);
            assertTrue(checkpoints.force());
            for (final String step : List.of("write 2", "write 0", "complete")) {
                rank.world().engine().blocking().barrier();
                storage.failAt(step);
                rank.world().engine().blocking().barrier();
                count[0]++;
                assertFalse(checkpoints.force(), step);
                rank.world().engine().blocking().barrier();
                storage.repair();
                assertEquals(List.of(1), storage.complete());
            }
            rank.world().engine().blocking().barrier();
            assertTrue(checkpoints.force());
        });
        assertEquals(1, storage.complete().size());
    }

    @Test
    void shouldCallTheModulesOfEveryCommunicator() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, 2, Map.of(), List.of(new Steps(true)), rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final Communicator part = rank.world().split(rank.worldRank() % 2, 0);
            checkpoints.register("Intracomm", "part", part, () -> MemorySegment.ofArray(new byte[0]));
            assertTrue(checkpoints.force());
        });
        assertEquals(List.of("checkpoint 0 of 2", "checkpoint 0 of 3", "checkpoint 0 of 5", "resume 0 of 2", "resume 0 of 3", "resume 0 of 5"),
            calls.stream().filter(c -> c.contains(" 0 of") && !c.endsWith(" 1")).sorted().toList());
        calls.clear();
        run(new MemoryStorage(storage), 1, Map.of(), List.of(new Steps(true)), rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final Communicator part = rank.world().split(rank.worldRank() % 2, 0);
            checkpoints.register("Intracomm", "part", part, () -> MemorySegment.ofArray(new byte[0]));
        });
        assertEquals(List.of("restart 0 of 2", "restart 0 of 3", "restart 0 of 5"),
            calls.stream().filter(c -> c.contains(" 0 of")).sorted().toList());
    }

    @Test
    void shouldNameAModuleThatDoesNotSaveItsState() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, 2, Map.of(), List.of(new Steps(false)), rank -> {
            assertFalse(RankCheckpoints.of(rank).force());
            assertTrue(rank.world().engine().explain().getFirst().notes().stream()
                .anyMatch(n -> n.equals("the job cannot be checkpointed, since module Steps 1.0.0 has state that it does not save")));
        });
        run(storage, 2, Map.of("coll.select", "^Steps"), List.of(new Steps(false)), rank -> assertTrue(RankCheckpoints.of(rank).force()));
    }

    @Test
    void shouldRefuseANameTwiceAndAnotherNumberOfRanks() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, rank -> {
            final RankCheckpoints checkpoints = counting(rank, new long[1]);
            assertEquals("the name is in use: name=count; remove what it names first", assertThrows(MpiFailure.class,
                () -> checkpoints.register("long[]", "count", () -> MemorySegment.ofArray(new long[1]))).getMessage());
            final MpiFailure nameless =
                assertThrows(MpiFailure.class, () -> checkpoints.register("long[]", "", () -> MemorySegment.ofArray(new long[1])));
            assertTrue(nameless.getMessage().startsWith("length of name out of range: name=, range=1.."), nameless::getMessage);
            assertTrue(checkpoints.remove("count"));
            assertFalse(checkpoints.remove("count"));
            checkpoints.register("long[]", "count", () -> MemorySegment.ofArray(new long[2]));
            assertTrue(checkpoints.force());
        });
        final MemoryStorage next = new MemoryStorage(storage);
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(transport, List.of(new Ranks.Job(List.of(0, 0), Ranks.job(2, Map.of(), List.of(new BasicModule())), rank -> {
                final MpiFailure refused = assertThrows(MpiFailure.class, () -> RankCheckpoints.of(rank));
                assertTrue(refused.getMessage().contains("start it with -n 5"), refused::getMessage);
            }, next)));
        }
    }

    /** Runs ranks, and returns what they print as warnings. */
    private static String warnings(final Ranks.Body body) throws Exception {
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final PrintStream before = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            run(new MemoryStorage(), body);
        } finally {
            System.setErr(before);
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    private static void assertRefused(final String why, final Ranks.Body body) throws Exception {
        final String text = warnings(body);
        assertTrue(text.matches("tutti: warning: no checkpoint at point 1: rank 1 on node n1: " + Pattern.quote(why) + "\\R"), text);
    }

    @Test
    void shouldRefuseAPointBetweenProbeAndReceive() throws Exception {
        assertRefused("a matched probe has taken a message that was not received: receive it before the point", rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            if (rank.worldRank() == 0) {
                rank.world().messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 1, 4);
            }
            final MatchedMessage taken = rank.worldRank() == 1 ? rank.world().messages().mprobe(0, 4) : null;
            assertFalse(checkpoints.force());
            if (taken != null) {
                taken.recv(new int[1], 1, Datatype.INT);
            }
            assertTrue(checkpoints.force());
        });
    }

    @Test
    void shouldRefuseAPointWithAMessageOnACommunicatorThatIsNotRegistered() throws Exception {
        assertRefused("a message is on its way on a communicator that is not registered: 4 bytes of rank 0, tag 4", rank -> {
            final Communicator other = rank.world().dup();
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            if (rank.worldRank() == 0) {
                other.messages().send(SendMode.STANDARD, new int[1], 1, Datatype.INT, 1, 4);
            }
            assertFalse(checkpoints.force());
            if (rank.worldRank() == 1) {
                other.messages().recv(new int[1], 1, Datatype.INT, 0, 4);
            }
            assertTrue(checkpoints.force());
        });
    }

    @Test
    void shouldRefuseAPointAtWhichAThreadOfARankWaitsForAReceiver() throws Exception {
        assertRefused("a message is still with its sender: 800000 bytes of rank 3, tag 4; receive it before the point", rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final FutureTask<Void> send = new FutureTask<>(
                () -> rank.world().messages().send(SendMode.STANDARD, new long[100_000], 100_000, Datatype.LONG, 1, 4), null);
            if (rank.worldRank() == 3) {
                Thread.ofPlatform().daemon().start(send);
            } else if (rank.worldRank() == 1) {
                rank.world().messages().probe(3, 4);
            }
            rank.world().engine().blocking().barrier();
            assertFalse(checkpoints.force());
            if (rank.worldRank() == 3) {
                send.get();
            } else if (rank.worldRank() == 1) {
                rank.world().messages().recv(new long[100_000], 100_000, Datatype.LONG, 3, 4);
            }
            assertTrue(checkpoints.force());
        });
    }

    @Test
    void shouldRefuseAPointThatARankReachesAfterItHasBegunACollective() throws Exception {
        assertRefused("another rank has begun a collective operation that this one has not: begin it on all ranks, or on none", rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            final Communicator two = rank.world().split(rank.worldRank() < 2 ? 0 : Group.UNDEFINED, 0);
            final int[] data = {0};
            if (rank.worldRank() == 0) {
                two.engine().blocking().bcast(data, 1, Datatype.INT, 0);
            }
            assertFalse(checkpoints.force());
            if (rank.worldRank() == 1) {
                two.engine().blocking().bcast(data, 1, Datatype.INT, 0);
            }
            assertTrue(checkpoints.force());
        });
    }

    @Test
    void shouldFailWhereAModuleDoesNotGoOn() throws Exception {
        run(new MemoryStorage(), 2, Map.of(), List.of(new Steps(true)), rank -> {
            final RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            assertTrue(checkpoints.force());
            isStuck = true;
            rank.world().engine().blocking().barrier();
            assertEquals("a module does not go on after a checkpoint: stuck", assertThrows(MpiFailure.class, checkpoints::force).getMessage());
        });
    }

    @Test
    void shouldNameTheStateThatCannotBeRead() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        run(storage, rank -> assertTrue(counting(rank, new long[1]).force()));
        final MemoryStorage withoutMessages = new MemoryStorage(storage).failAt("read messages");
        run(withoutMessages,
            rank -> assertEquals("the checkpoint of rank " + rank.worldRank() + " cannot be read: the disk has failed: read messages",
                assertThrows(MpiFailure.class, () -> RankCheckpoints.of(rank)).getMessage()));
        final MemoryStorage withoutCount = new MemoryStorage(storage).failAt("read state/long[]/count");
        run(withoutCount, rank -> assertEquals("the state cannot be read: name=count, rank=" + rank.worldRank()
            + ": the disk has failed: read state/long[]/count",
            assertThrows(MpiFailure.class, () -> counting(rank, new long[1])).getMessage()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "5d", ""})
    void shouldRefuseAWrongPeriod(final String every) {
        final MpiFailure refused = assertThrows(MpiFailure.class, () -> CheckpointOption.of(Map.of("checkpoint.every", every)));
        assertTrue(refused.getMessage().startsWith("parameter has a wrong value: checkpoint.every=" + every), refused::getMessage);
    }

    @Test
    void shouldReadPointsAndTimes() {
        assertEquals(new CheckpointOption(100, 0), CheckpointOption.of(Map.of("checkpoint.every", "100")));
        assertEquals(new CheckpointOption(0, 60_000), CheckpointOption.of(Map.of("checkpoint.every", "60s")));
        assertEquals(new CheckpointOption(0, 500), CheckpointOption.of(Map.of("checkpoint.every", "500ms")));
        assertEquals(new CheckpointOption(0, 0), CheckpointOption.of(Map.of()));
    }

    /** Has an instance of its own on every communicator. */
    private final class Steps implements CollModule {
        private final boolean saves;

        Steps(final boolean saves) {
            this.saves = saves;
        }

        @Override
        public QueryResult query(final CollComm comm) {
            final AlgorithmTable table = ((QueryResult.Usable) new BasicModule().query(comm)).instance().table();
            return new QueryResult.Usable(90, saves ? new Saving(table, comm.rank() + " of " + comm.size()) : new Silent(table));
        }
    }

    /** Has state that it does not save. */
    private static class Silent implements CollInstance {
        private final AlgorithmTable table;

        Silent(final AlgorithmTable table) {
            this.table = table;
        }

        @Override
        public AlgorithmTable table() {
            return table;
        }
    }

    /** Saves its state. */
    private final class Saving extends Silent implements Checkpointable {
        private final String name;

        Saving(final AlgorithmTable table, final String name) {
            super(table);
            this.name = name;
        }

        @Override
        public void checkpoint() {
            calls.add("checkpoint " + name);
        }

        @Override
        public void resume() {
            calls.add("resume " + name);
            if (isStuck) {
                throw new IllegalStateException("stuck");
            }
        }

        @Override
        public void restart() {
            calls.add("restart " + name);
        }
    }
}
