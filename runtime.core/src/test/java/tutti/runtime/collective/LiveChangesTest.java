package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.LiveMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/** Ranks whose modules change while they call them. The versions of the module send different messages, so ranks of different epochs do not meet. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LiveChangesTest {
    private final Set<LiveModules> nodes = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicInteger> inUse = new ConcurrentHashMap<>();
    private Map<String, String> parameters = Map.of();

    /** Sends the data along a chain that begins at the root and takes {@code stride} ranks at a time. */
    private static Algorithm<Call.Bcast> chain(final int version) {
        return (call, plan) -> {
            final int size = plan.size();
            final int own = Math.floorMod(plan.rank() - call.root(), size);
            if (version % 2 == 0) {
                if (own == 0) {
                    for (int r = 1; r < size; r++) {
                        plan.send(Buffer.RECV.at(0, call.bytes()), (call.root() + r) % size);
                    }
                } else {
                    plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
                }
                return;
            }
            if (own > 0) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), Math.floorMod(plan.rank() - 1, size));
            }
            if (own < size - 1) {
                plan.send(Buffer.RECV.at(0, call.bytes()), (plan.rank() + 1) % size);
            }
        };
    }

    /** A version of the module; it splits every communicator that it can, so that its hidden communicators must be freed, too. */
    private OfferedModule version(final int number) {
        final CollModule module = comm -> new QueryResult.Usable(90, new CollInstance() {
            @Override
            public AlgorithmTable table() {
                return AlgorithmTable.builder().intra(Operation.BCAST, "v" + number, chain(number)).build();
            }

            @Override
            public AlgorithmTable init() {
                if (comm.origin() != tutti.coll.CollComm.Origin.HIDDEN && !comm.isInter()) {
                    SetupComm.of(comm).split("halves", comm.rank() % 2, 0);
                }
                inUse.computeIfAbsent("v" + number, v -> new AtomicInteger()).incrementAndGet();
                return table();
            }

            @Override
            public void dispose() {
                inUse.get("v" + number).decrementAndGet();
            }
        });
        return new OfferedModule(new ModuleId("chain", new Version(1, 0, number), "test"), module);
    }

    private JobModules modules(final int ranks, final int change) {
        final List<OfferedModule> offered = new ArrayList<>();
        offered.add(new OfferedModule(new ModuleId("basic", new Version(1, 0, 0), "test"), new BasicModule()));
        offered.add(version(change));
        final AgreedModules agreed =
            new AgreedModules(offered.stream().map(OfferedModule::id).toList(), List.of(), parameters, parameters.keySet(), RuleTable.NONE);
        return new JobModules("test", ranks, agreed, offered).changed(agreed, offered, change, null);
    }

    /** Makes a change on all nodes of the job: in all of them before the first follows it. */
    private void change(final int ranks, final int number) {
        nodes.forEach(n -> n.accept(modules(ranks, number)));
        nodes.forEach(n -> n.follow(number));
    }

    private void run(final int ranks, final int nodeCount, final Ranks.Body body) throws Exception {
        final CountDownLatch known = new CountDownLatch(ranks);
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, nodeCount, transport, modules(ranks, 0), rank -> {
                nodes.add(rank.context().job().live());
                known.countDown();
                assertTrue(known.await(90, TimeUnit.SECONDS));
                body.run(rank);
            });
        }
    }

    private static void bcast(final Communicator comm, final int value, final int root) {
        final int[] data = {comm.rank() == root ? value : -1, comm.rank() == root ? value + 1 : -1};
        comm.engine().blocking().bcast(data, 2, Datatype.INT, root);
        assertEquals(value, data[0]);
        assertEquals(value + 1, data[1]);
    }

    private static String serves(final Communicator comm) {
        return comm.engine().explain(Operation.BCAST, 8).algorithm();
    }

    /** Calls on, until the latest change serves a communicator on all its ranks. */
    private static void callUntil(final Communicator comm, final String algorithm) {
        final int[] waiting = {1};
        for (int i = 0; waiting[0] > 0; i++) {
            bcast(comm, i, i % comm.size());
            waiting[0] = serves(comm).equals(algorithm) ? 0 : 1;
            comm.engine().blocking().allreduce(waiting.clone(), waiting, 1, Datatype.INT, Op.SUM);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldServeLaterCallsByTheModulesOfAChange(final int nodeCount) throws Exception {
        final Set<String> served = new ConcurrentSkipListSet<>();
        final Set<String> notes = new ConcurrentSkipListSet<>();
        run(5, nodeCount, rank -> {
            bcast(rank.world(), 7, 0);
            served.add(serves(rank.world()));
            if (rank.worldRank() == 0) {
                change(5, 1);
            }
            // the ranks of a node hear of it at different times
            rank.world().engine().blocking().barrier();
            rank.follow();
            callUntil(rank.world(), "v1");
            served.add(serves(rank.world()));
            notes.addAll(rank.world().engine().explain(Operation.BCAST, 8).notes());
        });
        assertEquals(Set.of("v0", "v1"), served);
        final List<String> told = notes.stream().filter(n -> n.startsWith("by change 1 of the job's modules, from call ")).toList();
        assertEquals(1, told.size(), () -> "equal on all ranks: " + notes);
    }

    @Test
    void shouldDisposeTheModulesThatWereReplaced() throws Exception {
        run(4, 2, rank -> {
            for (int c = 1; c <= 20; c++) {
                if (rank.worldRank() == 0) {
                    change(4, c);
                }
                rank.world().engine().blocking().barrier();
                rank.follow();
                callUntil(rank.world(), "v" + c);
            }
            rank.world().engine().blocking().barrier();
        });
        inUse.forEach((version, count) -> assertEquals(0, count.get(), version));
    }

    @Test
    void shouldChangeCommunicatorsThatAreMadeDuringAChange() throws Exception {
        run(4, 2, rank -> {
            final List<Communicator> made = new ArrayList<>();
            for (int c = 1; c <= 10; c++) {
                if (rank.worldRank() == c % 4) {
                    change(4, c);
                }
                rank.follow();
                made.add(rank.world().split(rank.worldRank() % 2, 0));
                made.add(rank.world().dup());
                made.forEach(comm -> bcast(comm, 3, 0));
                if (c % 3 == 0) {
                    made.removeFirst().free();
                }
            }
            rank.world().engine().blocking().barrier();
            rank.follow();
            made.forEach(comm -> callUntil(comm, "v10"));
            made.forEach(Communicator::free);
        });
    }

    @Test
    void shouldMovePersistentCallsFromTheirNextStartOn() throws Exception {
        final Set<String> served = new ConcurrentSkipListSet<>();
        run(3, 2, rank -> {
            final int[] data = new int[1];
            final int[] sum = new int[1];
            final PersistentRequest persistent = rank.world().engine().persistent().bcast(data, 1, Datatype.INT, 1);
            final PersistentRequest other = rank.world().engine().persistent().allreduce(data, sum, 1, Datatype.INT, Op.SUM);
            for (int c = 1; c <= 12; c++) {
                if (rank.worldRank() == 0) {
                    change(3, c);
                }
                rank.follow();
                for (int i = 0; i < 50; i++) {
                    data[0] = rank.worldRank() == 1 ? i : -1;
                    persistent.start();
                    persistent.await();
                    assertEquals(i, data[0]);
                    other.start();
                    other.await();
                    assertEquals(3 * i, sum[0]);
                }
            }
            rank.world().engine().blocking().barrier();
            rank.follow();
            callUntil(rank.world(), "v12");
            persistent.free();
            other.free();
            rank.world().engine().blocking().barrier();
            served.add(serves(rank.world()));
        });
        assertEquals(Set.of("v12"), served);
        inUse.forEach((version, count) -> assertEquals(0, count.get(), version));
    }

    @Test
    void shouldKeepTheModulesWithWhichTheJobBeganIfItSaysSo() throws Exception {
        parameters = Map.of(LiveMode.PARAMETER, "off");
        run(2, 1, rank -> {
            if (rank.worldRank() == 0) {
                change(2, 1);
            }
            rank.world().engine().blocking().barrier();
            rank.follow();
            for (int i = 0; i < 200; i++) {
                bcast(rank.world(), i, i % 2);
            }
            assertEquals("v0", serves(rank.world()));
        });
    }

    /** Calls of all forms, with changes of hints and communicators between them, while changes come at any time from one rank of each node. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void shouldGiveRightResultsWhileModulesChange(final int ranks) throws Exception {
        final AtomicInteger changes = new AtomicInteger();
        final AtomicInteger running = new AtomicInteger(ranks);
        final AtomicBoolean isOver = new AtomicBoolean();
        run(ranks, 2, rank -> {
            final Thread following = Thread.ofPlatform().daemon().start(() -> {
                while (rank.worldRank() == 0 ? running.get() == ranks : !isOver.get()) {
                    if (rank.worldRank() == 0) {
                        change(ranks, changes.incrementAndGet());
                    }
                    followAll(rank);
                }
            });
            final Random random = new Random(ranks);
            final List<Communicator> comms = new ArrayList<>(List.of(rank.world()));
            final int[] first = new int[1];
            final int[] second = new int[1];
            final PersistentRequest persistent = rank.world().engine().persistent().bcast(first, 1, Datatype.INT, 1);
            final PersistentRequest another = rank.world().engine().persistent().bcast(second, 1, Datatype.INT, 0);
            for (int i = 0; i < 600; i++) {
                step(comms, random.nextInt(8), random.nextInt(1 << 20), i);
                first[0] = rank.worldRank() == 1 ? i : -1;
                second[0] = rank.worldRank() == 0 ? i : -1;
                persistent.start();
                another.start();
                persistent.await();
                another.await();
                assertEquals(i, first[0]);
                assertEquals(i, second[0]);
            }
            persistent.free();
            another.free();
            comms.stream().skip(1).forEach(Communicator::free);
            running.decrementAndGet();
            if (rank.worldRank() == 0) {
                following.join();
                isOver.set(true);
            }
            following.join();
        });
        assertTrue(changes.get() > 2, () -> "changes=" + changes);
    }

    private static void followAll(final Rank rank) {
        try {
            rank.follow().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void step(final List<Communicator> comms, final int what, final int random, final int value) {
        final Communicator comm = comms.get(random % comms.size());
        final int root = random % comm.size();
        switch (what) {
            case 0 -> {
                if (comms.size() < 6) {
                    comms.add(comm.dup());
                }
            }
            case 1 -> {
                if (comms.size() > 2) {
                    comms.remove(1 + random % (comms.size() - 1)).free();
                }
            }
            case 2 -> comm.setHints(Map.of("tutti_coll_bcast", random % 2 == 0 ? "basic" : "chain"));
            case 3, 4 -> {
                final List<Request> requests = new ArrayList<>();
                final List<int[]> data = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    data.add(new int[] {comm.rank() == root ? value + i : -1});
                    requests.add(comm.engine().nonblocking().bcast(data.get(i), 1, Datatype.INT, root));
                }
                requests.forEach(Request::await);
                for (int i = 0; i < 5; i++) {
                    assertEquals(value + i, data.get(i)[0]);
                }
            }
            default -> bcast(comm, value, root);
        }
    }
}
