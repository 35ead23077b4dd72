package tutti.runtime.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.FaultyRanks;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.MemoryOption;
import tutti.runtime.comm.AgreementRequest;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Ranks keep their states in the memory of others, fail, and those that take their places go on with the states. */
@Timeout(180)
class MemoryCheckpointsTest {
    private static final int TAG = 3;
    private static final int STEPS = 12;

    /** Called at the beginning of each step of a rank. */
    private interface Event {
        void at(Program program) throws Exception;
    }

    /**
     * A program whose ranks compute in steps; each has data of another length, and a message is under way at each point. It goes on with other ranks
     * in the places of those that fail.
     */
    private static final class Program {
        private final Rank rank;
        private final FaultyRanks job;
        private final Event event;
        private final int most;
        private Communicator comm;
        private RankCheckpoints checkpoints;
        private long[] data;
        private final long[] step = new long[1];
        /** Steps from which this rank has gone on after others had failed; -1 where it has begun anew. */
        private final StringBuilder restored = new StringBuilder();

        Program(final Rank rank, final FaultyRanks job, final int most, final Event event) {
            this.rank = rank;
            this.job = job;
            this.most = most;
            this.event = event;
            this.comm = rank.world();
            this.checkpoints = RankCheckpoints.of(rank);
        }

        /** Returns where ranks have gone on. */
        String run() throws Exception {
            for (boolean isDone = false; !isDone;) {
                boolean isOk = false;
                try {
                    compute();
                    isOk = true;
                } catch (final MpiFailure e) {
                    if (!e.isOfLoss() && e.errorClass() != ErrorClass.REVOKED) {
                        throw e;
                    }
                    comm.revoke();
                }
                isDone = agree(isOk);
                if (!isDone) {
                    comm = comm.replace();
                }
            }
            return restored.toString();
        }

        private boolean agree(final boolean isOk) {
            final AgreementRequest agreed = comm.agree(isOk ? 1 : 0);
            try {
                agreed.await();
                return agreed.flag() == 1;
            } catch (final MpiFailure e) {
                return agreed.flag() == 1;
            }
        }

        /** Returns the data of a rank at the beginning. */
        private long[] begin(final int r) {
            return IntStream.range(0, r % 3 == 1 ? most / 7 : most - 11 * r).mapToLong(i -> i * 31L + r).toArray();
        }

        private void compute() throws Exception {
            if (!checkpoints.isFor(comm)) {
                checkpoints = checkpoints.restore(comm);
                restored.append(checkpoints.isRestart() ? '+' : '-');
            }
            data = begin(comm.rank());
            step[0] = 0;
            register("data", data);
            register("step", step);
            final int size = comm.size();
            final int[] token = {-1};
            if (!checkpoints.isRestart()) {
                comm.messages().send(SendMode.STANDARD, new int[] {comm.rank()}, 1, Datatype.INT, (comm.rank() + 1) % size, TAG);
            }
            while (step[0] < STEPS) {
                event.at(this);
                comm.messages().recv(token, 1, Datatype.INT, (comm.rank() + size - 1) % size, TAG);
                assertEquals(Math.floorMod(comm.rank() - 1 - step[0], size), token[0]);
                final long[] sum = {data[0]};
                comm.engine().blocking().allreduce(Reserved.IN_PLACE, sum, 1, Datatype.LONG, Op.SUM);
                for (int i = 0; i < data.length; i++) {
                    data[i] += sum[0] + step[0];
                }
                // it is received in the next step
                comm.messages().send(SendMode.STANDARD, token, 1, Datatype.INT, (comm.rank() + 1) % size, TAG);
                step[0]++;
                checkpoints.here();
            }
            comm.messages().recv(token, 1, Datatype.INT, (comm.rank() + size - 1) % size, TAG);
            assertArrayEquals(expected(comm.rank(), size), data);
        }

        /** Returns what the data of a rank must be at the end. */
        private long[] expected(final int r, final int size) {
            final long[] first = IntStream.range(0, size).mapToLong(i -> begin(i)[0]).toArray();
            final long[] all = begin(r);
            for (int s = 0; s < STEPS; s++) {
                final long sum = Arrays.stream(first).sum();
                for (int i = 0; i < size; i++) {
                    first[i] += sum + s;
                }
                for (int i = 0; i < all.length; i++) {
                    all[i] += sum + s;
                }
            }
            return all;
        }

        private void register(final String name, final long[] state) {
            final long saved = checkpoints.savedBytes("long[]", name);
            if (saved >= 0) {
                assertEquals(8L * state.length, saved);
                checkpoints.read("long[]", name, MemorySegment.ofArray(state));
            }
            checkpoints.register("long[]", name, () -> MemorySegment.ofArray(state));
        }

        /** Fails in a step, together with the other rank of a group of two: neither goes on before both have come so far. */
        void dieAsGroup(final int at, final CountDownLatch both) throws InterruptedException {
            if ((rank.worldRank() == 0 || rank.worldRank() == 2) && step[0] == at) {
                both.countDown();
                assertTrue(both.await(60, TimeUnit.SECONDS));
                throw new FaultyRanks.Died();
            }
        }

        /** Fails in a step, if this rank is one with which the job has begun. */
        void dieAt(final int r, final int at) {
            if (rank.worldRank() == r && step[0] == at) {
                throw new FaultyRanks.Died();
            }
        }
    }

    private static Map<String, String> parameters(final String code, final String... more) {
        final Map<String, String> all = new HashMap<>(Map.of(MemoryOption.PARAMETER, code));
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    /** Runs the program; returns by rank of the job where it has gone on. */
    private static ConcurrentMap<Integer, String> run(final int ranks, final int nodes, final int spares, final int most,
        final Map<String, String> parameters, final CheckpointStorage storage, final Event event) throws Exception {
        final ConcurrentMap<Integer, String> restored = new ConcurrentHashMap<>();
        try (FaultyRanks job = new FaultyRanks(ranks, nodes, spares, parameters, List.of(new BasicModule()), storage)) {
            job.run((rank, of) -> restored.put(rank.worldRank(), new Program(rank, of, most, event).run()));
        }
        return restored;
    }

    @ParameterizedTest
    @CsvSource({"1+1, 2, 2", "1+1, 3, 3", "1+1, 5, 5", "1+2, 5, 5", "2+1, 3, 3", "3+1, 5, 3", "2+2, 4, 4", "4+3, 7, 7"})
    void shouldGoOnWithTheStateOfAnyRank(final String code, final int ranks, final int nodes) throws Exception {
        for (int lost = 0; lost < ranks; lost++) {
            final int r = lost;
            final ConcurrentMap<Integer, String> restored = run(ranks, nodes, 1, 1000, parameters(code), CheckpointStorage.NONE, p -> p.dieAt(r, 5));
            assertEquals(IntStream.rangeClosed(0, ranks).filter(i -> i != r).boxed().toList(), restored.keySet().stream().sorted().toList());
            assertEquals(Set.of("+"), Set.copyOf(restored.values()));
        }
    }

    @ParameterizedTest
    @CsvSource({"1+2, 3", "1+2, 7", "2+2, 4", "2+2, 5", "3+2, 5", "4+2, 6"})
    void shouldGoOnWithoutAnyTwoRanksOfAGroup(final String code, final int ranks) throws Exception {
        for (int a = 0; a < ranks; a++) {
            for (int b = a + 1; b < ranks; b++) {
                final int first = a;
                final int second = b;
                final ConcurrentMap<Integer, String> restored = run(ranks, ranks, 2, 300, parameters(code), CheckpointStorage.NONE, p -> {
                    p.dieAt(first, 4);
                    p.dieAt(second, 4);
                });
                assertTrue(restored.values().stream().allMatch(s -> s.startsWith("+") && !s.contains("-")), restored::toString);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1+1", "2+1", "2+2"})
    void shouldKeepStatesOfSeveralMebibytes(final String code) throws Exception {
        final ConcurrentMap<Integer, String> restored = run(4, 4, 1, 700_001, parameters(code, MemoryOption.EVERY, "5"), CheckpointStorage.NONE,
            p -> p.dieAt(2, 7));
        assertEquals(Set.of("+"), Set.copyOf(restored.values()));
    }

    @Test
    void shouldGoOnWithoutANodeOfSeveralRanks() throws Exception {
        final ConcurrentMap<Integer, String> restored = run(8, 4, 2, 500, parameters("1+1"), CheckpointStorage.NONE, p -> {
            if (p.rank.worldRank() == 1 && p.step[0] == 6) {
                p.job.killNodeOf(1);
            }
        });
        assertEquals(Set.of(0, 2, 3, 4, 6, 7, 8, 9), restored.keySet());
        assertEquals(Set.of("+"), Set.copyOf(restored.values()));
    }

    @Test
    void shouldGoOnAgainAndAgain() throws Exception {
        final ConcurrentMap<Integer, String> restored = run(5, 5, 5, 400, parameters("1+1"), CheckpointStorage.NONE, p -> {
            // each rank that takes the place of one that fails takes its turn to fail
            for (int i = 0; i < 5; i++) {
                p.dieAt(i, 2 * i + 1);
            }
        });
        assertEquals(Set.of(5, 6, 7, 8, 9), restored.keySet());
        assertEquals("+++++", restored.get(5));
    }

    @Test
    void shouldBeginAnewWhenTooManyOfAGroupHaveFailed() throws Exception {
        final CountDownLatch both = new CountDownLatch(2);
        final ConcurrentMap<Integer, String> restored = run(4, 4, 4, 100, parameters("1+1"), CheckpointStorage.NONE, p -> p.dieAsGroup(3, both));
        assertTrue(restored.values().stream().allMatch(s -> s.endsWith("-")), restored::toString);
    }

    @Test
    void shouldGoOnFromDiskWhenMemoryIsNotEnough() throws Exception {
        final MemoryStorage storage = new MemoryStorage();
        final AtomicInteger from = new AtomicInteger(-1);
        final CountDownLatch both = new CountDownLatch(2);
        final ConcurrentMap<Integer, String> restored = run(4, 4, 4, 100, parameters("1+1", "checkpoint.every", "2"), storage, p -> {
            if (!p.restored.isEmpty()) {
                from.compareAndSet(-1, (int) p.step[0]);
            }
            p.dieAsGroup(5, both);
        });
        assertEquals(4, from.get());
        assertTrue(restored.values().stream().allMatch(s -> s.endsWith("+")), restored::toString);
        assertFalse(storage.complete().isEmpty());
    }

    @Test
    void shouldGoOnFromDiskWithoutMemory() throws Exception {
        final ConcurrentMap<Integer, String> restored = run(5, 3, 1, 100, parameters("off", "checkpoint.every", "3"), new MemoryStorage(),
            p -> p.dieAt(1, 7));
        assertEquals(Set.of("+"), Set.copyOf(restored.values()));
    }

    @Test
    void shouldPreferTheNewestCheckpoint() throws Exception {
        final AtomicInteger from = new AtomicInteger(-1);
        run(3, 3, 1, 100, parameters("1+1", MemoryOption.EVERY, "4", "checkpoint.every", "3"), new MemoryStorage(), p -> {
            p.dieAt(1, 7);
            if (!p.restored.isEmpty()) {
                from.compareAndSet(-1, (int) p.step[0]);
            }
        });
        assertEquals(6, from.get());
    }

    @Test
    void shouldGoBackOnTheSameCommunicatorAndDropMessagesOfLater() throws Exception {
        FaultyRanks.run(3, 3, parameters("1+1"), List.of(new BasicModule()), (rank, job) -> {
            final Communicator comm = rank.world();
            final int after = (comm.rank() + 1) % 3;
            final long[] data = {comm.rank(), 7};
            final RankCheckpoints first = RankCheckpoints.of(rank);
            first.register("long[]", "data", () -> MemorySegment.ofArray(data));
            comm.messages().send(SendMode.STANDARD, new int[] {1}, 1, Datatype.INT, after, TAG);
            assertTrue(first.here());
            data[1] = 8;
            comm.messages().send(SendMode.STANDARD, new int[] {2}, 1, Datatype.INT, after, TAG);
            final Request active = comm.rank() == 1 ? comm.messages().irecv(new int[1], 1, Datatype.INT, after, TAG + 1) : null;
            assertEquals("the state cannot be restored: rank 1 on node n1: nonblocking or persistent operations are active on MPI_COMM_WORLD: "
                + "complete them before the point", assertThrows(MpiFailure.class, () -> first.restore(comm)).getMessage());
            if (active != null) {
                active.cancel();
                active.await();
            }
            final RankCheckpoints second = first.restore(comm);
            assertTrue(second.isRestart() && second.isFor(comm));
            second.read("long[]", "data", MemorySegment.ofArray(data));
            assertArrayEquals(new long[] {comm.rank(), 7}, data);
            final int[] got = new int[1];
            comm.messages().recv(got, 1, Datatype.INT, (comm.rank() + 2) % 3, TAG);
            assertEquals(1, got[0]);
            comm.engine().blocking().barrier();
            assertNull(comm.messages().iprobe(Reserved.ANY_SOURCE, Reserved.ANY_TAG));
            second.register("long[]", "data", () -> MemorySegment.ofArray(data));
            assertTrue(second.force());
        });
    }

    @Test
    void shouldRestoreOnceWhicheverCommunicatorOfTheNewRanksIsPassed() throws Exception {
        FaultyRanks.run(3, 3, 1, parameters("1+1"), List.of(new BasicModule()), (rank, job) -> {
            RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            Communicator comm = rank.world();
            final long[] data = {comm.rank()};
            if (rank.incarnation() == 0) {
                assertTrue(checkpoints.isFor(comm) && checkpoints.isFor(comm.dup()));
                checkpoints.register("long[]", "data", () -> MemorySegment.ofArray(data));
                assertTrue(checkpoints.here());
                if (comm.rank() == 1) {
                    throw new FaultyRanks.Died();
                }
                comm = comm.replace();
            }
            final Communicator duplicate = comm.dup();
            assertFalse(checkpoints.isFor(duplicate) || checkpoints.isFor(comm));
            checkpoints = checkpoints.restore(duplicate);
            assertTrue(checkpoints.isRestart() && checkpoints.isFor(duplicate) && checkpoints.isFor(comm));
            assertEquals(rank.incarnation() > 0, checkpoints.isFor(rank.world()));
            checkpoints.read("long[]", "data", MemorySegment.ofArray(data));
            assertEquals(comm.rank(), data[0]);
            checkpoints.register("long[]", "data", () -> MemorySegment.ofArray(data));
            assertTrue(checkpoints.here());
            duplicate.free();
        });
    }

    @Test
    void shouldRestoreWhatIsRegisteredAfterLaterCheckpoints() throws Exception {
        FaultyRanks.run(2, 2, parameters("1+1"), List.of(new BasicModule()), (rank, job) -> {
            final Communicator comm = rank.world();
            final long[] late = {comm.rank() + 5};
            RankCheckpoints checkpoints = RankCheckpoints.of(rank);
            checkpoints.register("long[]", "late", () -> MemorySegment.ofArray(late));
            assertTrue(checkpoints.here());
            checkpoints = checkpoints.restore(comm);
            final long[] other = new long[1];
            checkpoints.register("long[]", "other", () -> MemorySegment.ofArray(other));
            for (int i = 0; i < 4; i++) {
                other[0] = -1;
                assertTrue(checkpoints.here());
            }
            checkpoints.read("long[]", "late", MemorySegment.ofArray(late));
            assertEquals(comm.rank() + 5, late[0]);
        });
    }

    private static LongStream seeds() {
        return LongStream.rangeClosed(1, Integer.getInteger("tutti.memory.seeds", 20));
    }

    /** Ranks and nodes fail at any message, also while others save and restore. */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldComputeRightWhateverFails(final long seed) throws Exception {
        final Random random = new Random(seed);
        final int ranks = 2 + random.nextInt(6);
        final int nodes = 1 + random.nextInt(ranks);
        final String code = List.of("1+1", "1+2", "2+1", "3+2").get(random.nextInt(4));
        final int deaths = 1 + random.nextInt(3);
        final AtomicInteger left = new AtomicInteger(deaths);
        final boolean isOnDisk = random.nextBoolean();
        final Map<String, String> parameters = isOnDisk ? parameters(code, "checkpoint.every", "3") : parameters(code);
        run(ranks, nodes, 2 * deaths, 100 + random.nextInt(2000), parameters, isOnDisk ? new MemoryStorage() : CheckpointStorage.NONE, p -> {
            final Random own = new Random(seed * 1000 + p.rank.worldRank() * 50 + p.step[0]);
            if (own.nextInt(12) == 0 && p.comm.rank() > 0 && left.getAndDecrement() > 0) {
                if (own.nextBoolean()) {
                    throw new FaultyRanks.Died();
                }
                final long delay = own.nextInt(300_000);
                Thread.ofPlatform().daemon().start(() -> {
                    final long begin = System.nanoTime();
                    while (System.nanoTime() - begin < delay) {
                        Thread.onSpinWait();
                    }
                    final int node = p.rank.job().self();
                    if (p.rank.job().nodeOfRank().stream().filter(n -> n == node).count() == 1) {
                        p.job.kill(node);
                    }
                });
            }
        });
    }
}
