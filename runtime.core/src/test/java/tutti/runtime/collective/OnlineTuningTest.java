package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.Tunable;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.host.JobRanks;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.introspect.TuningRules;
import tutti.runtime.model.TuneMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/**
 * Ranks whose calls try algorithms and keep the fastest. The algorithms of the test broadcast along a chain, and send the data there and back a
 * number of times before: the more often, the slower they are. Ranks that served one call by different algorithms would not end.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class OnlineTuningTest {
    private static final int COUNT = 256;
    private static final Map<String, String> ONLINE = Map.of(TuneMode.PARAMETER, "online");

    private final Map<String, String> parameters = new HashMap<>(ONLINE);
    private final List<OfferedModule> modules = new ArrayList<>(List.of(offered("basic", 0, new BasicModule())));
    private RuleTable rules = RuleTable.NONE;
    private final Set<LiveModules> nodes = ConcurrentHashMap.newKeySet();

    private static OfferedModule offered(final String name, final int version, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, version), "test"), module);
    }

    /** Broadcasts along a chain, with detours between neighbours. */
    private static Algorithm<Call.Bcast> chain(final int detours) {
        return (call, plan) -> {
            final int size = plan.size();
            final int own = Math.floorMod(plan.rank() - call.root(), size);
            final int before = Math.floorMod(plan.rank() - 1, size);
            final int after = (plan.rank() + 1) % size;
            final var data = Buffer.RECV.at(0, call.bytes());
            if (own > 0) {
                plan.recv(data, before);
                for (int i = 0; i < detours; i++) {
                    plan.send(data, before);
                    plan.recv(data, before);
                }
            }
            if (own < size - 1) {
                plan.send(data, after);
                for (int i = 0; i < detours; i++) {
                    plan.recv(data, after);
                    plan.send(data, after);
                }
            }
        };
    }

    /** Adds a module with algorithms of these detours, by name. */
    private void with(final String name, final int priority, final String... algorithms) {
        with(name, 0, priority, algorithms);
    }

    private OfferedModule with(final String name, final int version, final int priority, final String... algorithms) {
        final AlgorithmTable.Builder table = AlgorithmTable.builder();
        for (final String a : algorithms) {
            final int detour = Integer.parseInt(a.replaceAll("\\D", ""));
            table.intra(Operation.BCAST, a, chain(detour));
        }
        final AlgorithmTable built = table.build();
        final OfferedModule module = offered(name, version, comm -> QueryResult.usable(priority, built));
        modules.add(module);
        return module;
    }

    private JobModules job(final int ranks, final int change) {
        final AgreedModules agreed =
            new AgreedModules(modules.stream().map(OfferedModule::id).toList(), List.of(), parameters, parameters.keySet(), rules);
        return new JobModules("test", ranks, agreed, modules).changed(agreed, modules, change, null);
    }

    private void run(final int ranks, final int nodeCount, final Ranks.Body body) throws Exception {
        final CountDownLatch known = new CountDownLatch(ranks);
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, nodeCount, transport, job(ranks, 0), rank -> {
                nodes.add(rank.context().job().live());
                known.countDown();
                assertTrue(known.await(90, TimeUnit.SECONDS));
                body.run(rank);
            });
        }
    }

    private static void bcast(final Communicator comm, final int value, final int count) {
        final int root = value % comm.size();
        final int[] data = new int[count];
        Arrays.fill(data, comm.rank() == root ? value : -1);
        comm.engine().blocking().bcast(data, count, Datatype.INT, root);
        for (final int d : data) {
            assertEquals(value, d);
        }
    }

    /** Returns what serves the next nonblocking call, as all ranks must find it. */
    private static String serves(final Communicator comm, final int count) {
        final Explanation e = comm.engine().explain(Operation.BCAST, 4L * count);
        return e.module().split(" ")[0] + "/" + e.algorithm();
    }

    private static CallTuning tuning(final Communicator comm, final int count) {
        return comm.engine().tuning().stream().filter(t -> t.operation().equals("bcast") && t.bytes().contains(4L * count)).findFirst().orElse(null);
    }

    /** Checks that all ranks know the same of the calls, and returns it. */
    private static CallTuning agreed(final Communicator comm, final int count) {
        final CallTuning own = tuning(comm, count);
        final int hash = own == null ? 0 : own.withCalls(0).hashCode();
        final int[] most = new int[2];
        comm.engine().blocking().allreduce(new int[] {hash, ~hash}, most, 2, Datatype.INT, Op.MAX);
        assertEquals(hash, most[0]);
        assertEquals(~hash, most[1]);
        return own;
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "3, 2", "5, 1", "5, 2", "4, 4"})
    void shouldKeepTheFastestAlgorithm(final int ranks, final int nodeCount) throws Exception {
        with("slow", 90, "d320", "d240");
        with("fast", 20, "d0", "d160");
        run(ranks, nodeCount, rank -> {
            final Communicator world = rank.world();
            assertEquals("slow/d320", serves(world, COUNT));
            for (int i = 0; i < 150; i++) {
                bcast(world, i, COUNT);
            }
            final CallTuning found = agreed(world, COUNT);
            // the module without detours, or the fallback module, which has none either
            assertTrue(Set.of("fast/d0", "basic/binomial").contains(found.best().algorithm().toString()), found::text);
            assertEquals(found.best().algorithm().toString(), serves(world, COUNT));
            final Explanation e = world.engine().explain(Operation.BCAST, 4 * COUNT);
            assertTrue(
                e.rule().matches("measured on \\d+ calls with [0-9.]+ ms lost: " + found.best().algorithm() + " [0-9.]+ times faster than slow/d320"),
                e.rule());
            assertTrue(e.others().stream().anyMatch(o -> o.module().startsWith("slow") && o.reason().contains("times as long")), e::toString);
            assertTrue(found.measuredCalls() <= 100, found::toString);
            assertTrue(found.regretNanos() > 0);
            assertEquals(1, found.trials());
            assertEquals(ranks, found.shape().ranks());
            assertEquals(nodeCount, found.shape().nodes());
        });
    }

    @Test
    void shouldServeCallsAsSelectedUnlessTheJobAsksForTuning() throws Exception {
        parameters.clear();
        with("slow", 90, "d5");
        run(3, 1, rank -> {
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
            }
            assertEquals(List.of(), rank.world().engine().tuning());
            assertEquals("slow/d5", serves(rank.world(), COUNT));
        });
    }

    @Test
    void shouldKeepWhatTheUserPicked() throws Exception {
        parameters.put("coll.bcast", "slow/d5");
        with("slow", 90, "d0", "d5");
        run(3, 1, rank -> {
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
            }
            assertEquals("slow/d5", serves(rank.world(), COUNT));
            assertEquals(null, tuning(rank.world(), COUNT));
        });
    }

    @Test
    void shouldTryTheModulesThatTheUserListsAlone() throws Exception {
        parameters.put("coll.select", "slow");
        with("slow", 20, "d5", "d3");
        with("fast", 90, "d0");
        run(3, 1, rank -> {
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
            }
            assertEquals(Set.of("slow/d5", "slow/d3"),
                agreed(rank.world(), COUNT).algorithms().stream().map(m -> m.algorithm().toString()).collect(Collectors.toSet()));
        });
    }

    @Test
    void shouldTuneEachSizeForItself() throws Exception {
        // many messages where calls are large, and where they are small
        final AlgorithmTable table = AlgorithmTable.builder()
            .intra(Operation.BCAST, "large", (call, plan) -> chain(call.bytes() < 1024 ? 240 : 0).plan(call, plan))
            .intra(Operation.BCAST, "small", (call, plan) -> chain(call.bytes() < 1024 ? 0 : 240).plan(call, plan)).build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, table)));
        parameters.put("coll.select", "m");
        run(3, 2, rank -> {
            for (int i = 0; i < 80; i++) {
                bcast(rank.world(), i, 8);
                bcast(rank.world(), i, 2048);
            }
            assertEquals("m/small", agreed(rank.world(), 8).best().algorithm().toString());
            assertEquals("m/large", agreed(rank.world(), 2048).best().algorithm().toString());
            assertEquals("m/small", serves(rank.world(), 8));
            assertEquals("m/large", serves(rank.world(), 2048));
        });
    }

    @Test
    void shouldTryParametersOfTheFastestAlgorithm() throws Exception {
        final CollModule module = comm -> new QueryResult.Usable(90, new CollInstance() {
            @Override
            public AlgorithmTable table() {
                return of(comm.job());
            }

            @Override
            public AlgorithmTable tuned(final CollJob job) {
                return of(job);
            }

            private AlgorithmTable of(final CollJob job) {
                final int detours = Integer.parseInt(job.parameters().getOrDefault("coll.m.detours", "160"));
                return AlgorithmTable.builder()
                    .intra(Operation.BCAST, "free", chain(detours), new Tunable("detours", Tunable.Limit.NONE, List.of(120L, 0L, 200L)))
                    .intra(Operation.BCAST, "fixed", chain(240)).build();
            }
        });
        modules.add(offered("m", 0, module));
        parameters.put("coll.select", "m");
        run(3, 2, rank -> {
            for (int i = 0; i < 120; i++) {
                bcast(rank.world(), i, COUNT);
            }
            final CallTuning found = agreed(rank.world(), COUNT);
            assertEquals("m/free:detours=0", found.best().algorithm().toString(), found::toString);
            assertEquals(List.of("m/free", "m/fixed", "m/free:detours=120", "m/free:detours=0", "m/free:detours=200"),
                found.algorithms().stream().map(m -> m.algorithm().toString()).toList());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldDropAnAlgorithmThatSomeRankCannotPlan(final int ranks) throws Exception {
        final AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "d240", chain(240))
            .intra(Operation.BCAST, "broken", (call, plan) -> {
                if (plan.rank() == 1) {
                    throw new IllegalStateException("cannot be planned");
                }
                chain(0).plan(call, plan);
            })
            // a rank waits for a message that nobody sends
            .intra(Operation.BCAST, "wrong", (call, plan) -> {
                chain(0).plan(call, plan);
                if (plan.rank() == 0) {
                    plan.recv(plan.scratch(8), 1);
                }
            })
            .intra(Operation.BCAST, "d3", chain(3)).build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, table)));
        parameters.put("coll.select", "m");
        run(ranks, 2, rank -> {
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
            }
            final CallTuning found = agreed(rank.world(), COUNT);
            assertEquals("m/d3", found.best().algorithm().toString());
            found.algorithms().forEach(m -> {
                final boolean isUsable = m.algorithm().algorithm().startsWith("d");
                assertEquals(isUsable, m.problem() == null, m::toString);
                assertEquals(isUsable, m.calls() > 0, m::toString);
            });
        });
    }

    @Test
    void shouldDropTheAlgorithmThatWasKeptWhenItCannotPlanALaterCall() throws Exception {
        final AlgorithmTable table =
            AlgorithmTable.builder().intra(Operation.BCAST, "d400", chain(400)).intra(Operation.BCAST, "d0", (call, plan) -> {
                if (call.bytes() == 4L * (COUNT + 1) && plan.rank() == 2) {
                    throw new IllegalStateException("cannot be planned");
                }
                chain(0).plan(call, plan);
            }).intra(Operation.BCAST, "d200", chain(200)).build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, table)));
        parameters.put("coll.select", "m");
        run(3, 1, rank -> {
            for (int i = 0; i < 120; i++) {
                bcast(rank.world(), i, COUNT);
            }
            assertEquals("m/d0", agreed(rank.world(), COUNT).best().algorithm().toString());
            for (int i = 0; i < 120; i++) {
                bcast(rank.world(), i, COUNT + 1);
            }
            assertEquals("m/d200", agreed(rank.world(), COUNT).best().algorithm().toString());
        });
    }

    @Test
    void shouldTuneCallsOfManySignatures() throws Exception {
        with("m", 90, "d160", "d0", "d120");
        parameters.put("coll.select", "m");
        run(3, 2, rank -> {
            for (int i = 0; i < 200; i++) {
                bcast(rank.world(), i, COUNT + i);
            }
            assertEquals("m/d0", agreed(rank.world(), COUNT).best().algorithm().toString());
        });
    }

    /** All forms of calls in one order on all ranks; nonblocking and persistent ones use what is kept. */
    @ParameterizedTest
    @CsvSource({"2, fast", "3, fast", "3, full", "4, off", "5, fast"})
    void shouldGiveRightResultsWithCallsOfAllForms(final int ranks, final String check) throws Exception {
        parameters.put(CheckLevel.PARAMETER, check);
        with("m", 90, "d6", "d0", "d4");
        with("n", 80, "d2", "d1");
        run(ranks, 2, rank -> {
            final Random random = new Random(ranks);
            final Communicator world = rank.world();
            final List<PersistentRequest> persistent = new ArrayList<>();
            final List<int[]> prepared = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                final int count = 1 << 2 * random.nextInt(4);
                final int root = random.nextInt(ranks);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        final List<int[]> data = new ArrayList<>();
                        final List<Request> requests = new ArrayList<>();
                        for (int k = 0; k < 3; k++) {
                            data.add(new int[] {world.rank() == root ? i + k : -1});
                            requests.add(world.engine().nonblocking().bcast(data.get(k), 1, Datatype.INT, root));
                        }
                        requests.forEach(Request::await);
                        for (int k = 0; k < 3; k++) {
                            assertEquals(i + k, data.get(k)[0]);
                        }
                    }
                    case 1 -> {
                        if (persistent.size() < 10) {
                            prepared.add(new int[1]);
                            persistent.add(world.engine().persistent().bcast(prepared.getLast(), 1, Datatype.INT, 0));
                        }
                    }
                    case 2 -> {
                        for (int k = 0; k < persistent.size(); k++) {
                            prepared.get(k)[0] = world.rank() == 0 ? i + k : -1;
                            persistent.get(k).start();
                        }
                        for (int k = 0; k < persistent.size(); k++) {
                            persistent.get(k).await();
                            assertEquals(i + k, prepared.get(k)[0]);
                        }
                    }
                    case 3 -> {
                        final int[] sum = new int[count];
                        world.engine().blocking().allreduce(IntStream.range(0, count).toArray(), sum, count, Datatype.INT, Op.SUM);
                        assertEquals(ranks * (count - 1), sum[count - 1]);
                    }
                    default -> bcast(world, i, count);
                }
            }
            agreed(world, 1);
            persistent.forEach(PersistentRequest::free);
        });
    }

    @Test
    void shouldServeNonblockingCallsByWhatIsKept() throws Exception {
        final Set<String> planned = new ConcurrentSkipListSet<>();
        final AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "d240", chain(240))
            .intra(Operation.BCAST, "d0", (call, plan) -> {
                planned.add(call.root() + " " + call.bytes());
                chain(0).plan(call, plan);
            }).build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, table)));
        parameters.put("coll.select", "m");
        run(3, 1, rank -> {
            for (int i = 0; i < 60; i++) {
                bcast(rank.world(), 3 * i, COUNT);
            }
            assertEquals("m/d0", agreed(rank.world(), COUNT).best().algorithm().toString());
            assertEquals("d0", rank.world().engine().plan(Operation.BCAST, 4 * COUNT, 0, 10).algorithm());
            // other signatures were not planned by all ranks
            assertEquals("d240", rank.world().engine().plan(Operation.BCAST, 4 * COUNT, 1, 10).algorithm());
            final int[] data = new int[COUNT];
            rank.world().engine().nonblocking().bcast(data, COUNT, Datatype.INT, 0).await();
            rank.world().engine().nonblocking().bcast(data, COUNT, Datatype.INT, 1).await();
        });
        assertEquals(Set.of("0 1024"), planned);
    }

    /** Ranks that chose differently would fail or hang; here each rank also records what serves each of its calls. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldServeEachCallByTheSameAlgorithmOnAllRanks(final int ranks) throws Exception {
        final List<List<String>> served = IntStream.range(0, ranks).mapToObj(r -> Collections.synchronizedList(new ArrayList<String>())).toList();
        final AlgorithmTable.Builder table = AlgorithmTable.builder();
        for (final int detours : new int[] {6, 0, 4, 2}) {
            table.intra(Operation.BCAST, "d" + detours, (call, plan) -> {
                AdvancedPlan.of(plan).opaque(task -> {
                    served.get(plan.rank()).add("d" + detours);
                    task.complete();
                }, List.of(), List.of(plan.scratch(8)));
                chain(detours).plan(call, plan);
            });
        }
        final AlgorithmTable built = table.build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, built)));
        parameters.put("coll.select", "m");
        run(ranks, 2, rank -> {
            for (int i = 0; i < 400; i++) {
                bcast(rank.world(), i, i % 3 == 0 ? 16 : COUNT + i % 2);
            }
        });
        assertEquals(400, served.getFirst().size());
        served.forEach(s -> assertEquals(served.getFirst(), s));
        assertEquals(Set.of("d6", "d0", "d4", "d2"), Set.copyOf(served.getFirst()));
    }

    @Test
    void shouldTryAgainWhenTheTimeDrifts() throws Exception {
        // what each algorithm costs is read when it is reduced, so that it changes without a plan
        final AtomicInteger slow = new AtomicInteger(0);
        final AlgorithmTable table = AlgorithmTable.builder().intra(Operation.ALLREDUCE, "one", busy(slow, 0))
            .intra(Operation.ALLREDUCE, "two", busy(slow, 1)).build();
        modules.add(offered("m", 0, comm -> QueryResult.usable(90, table)));
        parameters.put("coll.select", "m");
        run(3, 1, rank -> {
            final Communicator world = rank.world();
            sum(world, 100);
            assertEquals("m/two", found(world).best().algorithm().toString());
            world.engine().blocking().barrier();
            slow.set(1);
            for (int i = 0; i < 40 && found(world).trials() == 1; i++) {
                sum(world, 50);
            }
            sum(world, 100);
            assertTrue(found(world).trials() > 1);
            assertEquals("m/one", found(world).best().algorithm().toString());
        });
    }

    private static CallTuning found(final Communicator comm) {
        return comm.engine().tuning().stream().filter(t -> t.operation().equals("allreduce")).findFirst().orElseThrow();
    }

    private static void sum(final Communicator comm, final int calls) {
        for (int i = 0; i < calls; i++) {
            final int[] sum = new int[3];
            comm.engine().blocking().allreduce(new int[] {i, 1, comm.rank()}, sum, 3, Datatype.INT, Op.SUM);
            assertEquals(comm.size() * i, sum[0]);
            assertEquals(comm.size(), sum[1]);
            assertEquals(comm.size() * (comm.size() - 1) / 2, sum[2]);
        }
    }

    /** An allreduce at rank 0, which works for a while when its number is that of the slow one. */
    private static Algorithm<Call.Allreduce> busy(final AtomicInteger slow, final int number) {
        return (call, plan) -> {
            final var result = Buffer.RECV.at(0, call.bytes());
            if (!call.inPlace()) {
                plan.copy(call.input(), result);
            }
            for (int r = 1; r < plan.size(); r++) {
                if (plan.rank() == 0) {
                    final var theirs = plan.scratch(call.bytes());
                    plan.recv(theirs, r);
                    plan.reduce(call.reduction(), theirs, result);
                } else if (plan.rank() == r) {
                    plan.send(result, 0);
                }
            }
            if (plan.rank() == 0) {
                AdvancedPlan.of(plan).opaque(task -> {
                    final long begin = System.nanoTime();
                    while (slow.get() == number && System.nanoTime() - begin < 2_000_000) {
                        Thread.onSpinWait();
                    }
                    task.complete();
                }, List.of(), List.of(result));
            }
            for (int r = 1; r < plan.size(); r++) {
                if (plan.rank() == 0) {
                    plan.send(result, r);
                } else if (plan.rank() == r) {
                    plan.recv(result, 0);
                }
            }
        };
    }

    @Test
    void shouldBeginAnewWhenModulesChange() throws Exception {
        final OfferedModule first = with("m", 0, 90, "d240", "d120");
        parameters.put("coll.live", "follow");
        parameters.put("coll.select", "m");
        run(4, 2, rank -> {
            final Communicator world = rank.world();
            for (int i = 0; i < 40; i++) {
                bcast(world, i, COUNT);
            }
            world.engine().blocking().barrier();
            if (rank.worldRank() == 0) {
                modules.remove(first);
                with("m", 1, 90, "d240", "d160", "d0");
                nodes.forEach(n -> n.accept(job(4, 1)));
                nodes.forEach(n -> n.follow(1));
            }
            world.engine().blocking().barrier();
            rank.follow();
            // the change comes in the midst of a trial
            final int[] waiting = {1};
            for (int i = 0; waiting[0] > 0; i++) {
                bcast(world, i, COUNT);
                waiting[0] = world.engine().table().change() == 1 ? 0 : 1;
                world.engine().blocking().allreduce(waiting.clone(), waiting, 1, Datatype.INT, Op.SUM);
            }
            for (int i = 0; i < 200; i++) {
                bcast(world, i, COUNT);
            }
            final CallTuning found = agreed(world, COUNT);
            assertEquals("m 1.0.1", found.best().module().toString());
            assertEquals("m/d0", found.best().algorithm().toString());
        });
    }

    @Test
    void shouldTakeOverWhatWasFoundOutWhenHintsChange() throws Exception {
        with("m", 90, "d240", "d0", "d160");
        parameters.put("coll.select", "m");
        run(3, 2, rank -> {
            final Communicator world = rank.world();
            for (int i = 0; i < 100; i++) {
                bcast(world, i, COUNT);
            }
            assertEquals("m/d0", agreed(world, COUNT).best().algorithm().toString());
            final int measured = agreed(world, COUNT).measuredCalls();
            world.setHints(Map.of("tutti_coll_reduce", "basic"));
            for (int i = 0; i < 100; i++) {
                bcast(world, i, COUNT);
            }
            assertEquals("m/d0", serves(world, COUNT));
            assertEquals(measured, agreed(world, COUNT).measuredCalls());
            assertEquals(1, agreed(world, COUNT).trials());
            world.setHints(Map.of("tutti_coll_bcast", "m/d160"));
            for (int i = 0; i < 50; i++) {
                bcast(world, i, COUNT);
            }
            assertEquals("d160", world.engine().plan(Operation.BCAST, 4 * COUNT, 0, 10).algorithm());
        });
    }

    @Test
    void shouldLetAnotherJobBeginWithWhatWasFoundOut() throws Exception {
        with("m", 90, "d240", "d0", "d160");
        parameters.put("coll.select", "m");
        final AtomicReference<List<SelectionRule>> found = new AtomicReference<>();
        run(3, 2, rank -> {
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
                bcast(rank.world(), i, 2 * COUNT);
            }
            final List<SelectionRule> own = rank.world().engine().tunedRules();
            if (rank.worldRank() == 0) {
                found.set(own);
            }
        });
        assertEquals(List.of("bcast, ranks 3, nodes 2, ranks per node 1..2, bytes 1K..4095: m/d0"),
            found.get().stream().map(SelectionRule::toString).toList());
        parameters.clear();
        rules = new RuleTable("found", found.get(), false);
        run(3, 2, rank -> {
            assertEquals("m/d0", serves(rank.world(), COUNT));
            assertEquals("m/d0", serves(rank.world(), 2 * COUNT));
            assertEquals("m/d240", serves(rank.world(), 4 * COUNT));
        });
    }

    @Test
    void shouldTellTheJobInFinalizeWhatWasFoundOutOnAllCommunicatorsOfRankZero() throws Exception {
        with("m", 90, "d240", "d0", "d160");
        parameters.put("coll.select", "m");
        final List<List<CallTuning>> told = Collections.synchronizedList(new ArrayList<>());
        run(3, 2, rank -> {
            ((JobRanks) rank.context().job()).reportTuningTo(told::add);
            final Communicator freed = rank.world().dup();
            final Communicator pair = rank.world().split(rank.worldRank() == 2 ? 1 : 0, 0);
            for (int i = 0; i < 100; i++) {
                bcast(freed, i, 4 * COUNT);
                bcast(rank.world(), i, COUNT);
                if (rank.worldRank() < 2) {
                    bcast(pair, i, COUNT);
                }
            }
            freed.free();
            assertEquals(List.of(), told);
        });
        assertEquals(1, told.size());
        assertEquals(List.of("2 ranks 1K..2047", "3 ranks 1K..2047", "3 ranks 4K..8191"),
            told.getFirst().stream().map(t -> t.shape().ranks() + " ranks " + t.bytes()).toList());
        for (final CallTuning t : told.getFirst()) {
            assertEquals("m/d0", t.best().algorithm().toString());
            assertTrue(t.text().matches("measured on \\d+ calls with [0-9.]+ ms lost: m/d0 [0-9.]+ times faster than m/d240"), t::text);
            assertEquals(2, t.algorithms().size(), t::toString);
        }
    }

    @Test
    void shouldTellTheJobNothingWhereCallsAreNotTuned() throws Exception {
        parameters.clear();
        run(3, 1, rank -> {
            ((JobRanks) rank.context().job()).reportTuningTo(found -> {
                throw new AssertionError(found);
            });
            for (int i = 0; i < 100; i++) {
                bcast(rank.world(), i, COUNT);
            }
        });
    }

    @Test
    void shouldBeginWithALearntRuleAndMeasureNevertheless() throws Exception {
        with("m", 20, "d240", "d0", "d160");
        with("high", 90, "d200");
        final SelectionRule wrong = TuningRules.rule(new CallTuning("w", new CallTuning.Shape(3, 2, new LongRange(1, 2)), "bcast",
            CallTuning.Kind.USUAL, new LongRange(1024, 2047),
            List.of(new CallTuning.Measured(modules.getLast().id(), AlgorithmRef.of("m/d160"), 9, 9, 9,
                1, null)),
            0, 0, 1, 1, 1));
        rules = new RuleTable("default", List.of(new SelectionRule("bcast", List.of(AlgorithmRef.of("basic")))), true)
            .withLearnt(List.of(wrong), List.of("measured on 412 calls of 3 jobs: m/d160 1.8 times faster than high/d200"));
        run(3, 2, rank -> {
            final Communicator world = rank.world();
            final Explanation first = world.engine().explain(Operation.BCAST, 4 * COUNT);
            assertEquals("d160", first.algorithm());
            assertEquals("measured on 412 calls of 3 jobs: m/d160 1.8 times faster than high/d200: " + wrong, first.rule());
            assertEquals("high/d200", serves(world, 2 * COUNT));
            for (int i = 0; i < 150; i++) {
                bcast(world, i, COUNT);
            }
            final CallTuning found = agreed(world, COUNT);
            assertTrue(Set.of("m/d0", "basic/binomial").contains(found.best().algorithm().toString()), found::text);
            assertTrue(found.text().endsWith(" times faster than m/d160"), found::text);
        });
    }

    @Test
    void shouldTuneCommunicatorsOfSeveralThreads() throws Exception {
        with("m", 90, "d200", "d0", "d160");
        parameters.put("coll.select", "m");
        run(3, 1, rank -> {
            final List<Communicator> comms = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                comms.add(rank.world().dup());
            }
            final List<Thread> threads = new ArrayList<>();
            final List<Throwable> failures = new ArrayList<>();
            for (final Communicator c : comms) {
                threads.add(Thread.ofPlatform().daemon().start(() -> {
                    try {
                        for (int i = 0; i < 150; i++) {
                            bcast(c, i, COUNT);
                        }
                        assertTrue(agreed(c, COUNT).isDecided());
                    } catch (final Throwable e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                }));
            }
            for (final Thread t : threads) {
                t.join(90_000);
                assertFalse(t.isAlive());
            }
            assertEquals(List.of(), failures);
            comms.forEach(Communicator::free);
        });
    }
}
