package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Groups;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.TestedShapes;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.InterContract;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.request.Request;
import tutti.runtime.select.JobModules;

/** Tests collectives of intercommunicators over module basic, in one JVM on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InterCollectivesTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final Object IN_PLACE = Reserved.IN_PLACE;

    static Stream<Groups> groups() {
        return TestedShapes.groups();
    }

    /**
     * Joins the ranks below {@code first} and the others; the caller is in the first group when its rank in the world is below {@code first}.
     */
    private static Communicator join(final Communicator world, final int first) {
        final boolean low = world.rank() < first;
        final Communicator half = world.split(low ? 0 : 1, world.rank());
        return half.createIntercomm(0, world, low ? first : 0, 1);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void shouldKeepTheContractInAllForms(final Groups groups) throws Exception {
        for (final Explanation e : ContractSuite.intercommunicators(groups, Map.of(), BASIC)) {
            assertEquals(Operation.of(e.operation()).onIntercommunicators() ? "BasicModule 1.0.0" : null, e.module(), e::toString);
        }
    }

    /** Groups of unequal size, also some of which one is much larger, on one node, two and three. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 2, 2", "2, 1, 1", "2, 3, 1", "4, 3, 2", "3, 5, 3", "1, 9, 2", "13, 2, 3"})
    void shouldKeepTheContractByEveryAlgorithm(final int first, final int second, final int nodes) throws Exception {
        assertEquals(Set.of("allgather=leaders", "allgather=slices", "allgatherv=direct", "allreduce=leaders", "allreduce=pairs", "allreduce=slices",
            "alltoall=direct", "alltoallv=direct", "alltoallw=direct", "barrier=leaders", "barrier=pairs", "bcast=leaders", "bcast=slices",
            "gather=direct", "gather=leaders", "gatherv=direct", "reduce=leaders", "reduce=slices", "reduce_scatter=leaders",
            "reduce_scatter_block=leaders", "reduce_scatter_block=slices", "scatter=direct", "scatter=leaders", "scatterv=direct"),
            ContractSuite.everyAlgorithmBetween(new Groups(first, second, nodes), BasicModule.class, Map.of(), BASIC));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeCallsByRulesForTheirSizesAndGroups(final int nodes) throws Exception {
        final List<SelectionRule> rules = List.of(
            new SelectionRule("allreduce", use("leaders")).with(RuleCondition.GROUPS, "2..3").with(RuleCondition.BYTES, "0..8"),
            new SelectionRule("allreduce", use("slices")).with(RuleCondition.GROUPS, "2..3").with(RuleCondition.BYTES, "9..800")
                .with(RuleCondition.COMMUTATIVE, "true"),
            new SelectionRule("bcast", use("slices")).with(RuleCondition.RANKS, "5").with(RuleCondition.GROUPS, "0..")
                .with(RuleCondition.NODES, Integer.toString(nodes)).with(RuleCondition.BYTES, "100..800"),
            // for intracommunicators only
            new SelectionRule(null, use("nothing")));
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            final JobModules modules = Ranks.job(5, Map.of(), new RuleTable("t", rules),
                List.of(new OfferedModule(new ModuleId("basic", new Version(1, 0, 0), ""), new BasicModule())), List.of());
            Ranks.run(5, nodes, transport, modules, rank -> {
                final Communicator comm = join(rank.world(), 2);
                final CollectiveEngine inter = comm.engine();
                assertEquals("leaders rule 1 of t", served(inter, Operation.ALLREDUCE, 8));
                assertEquals("slices rule 2 of t", served(inter, Operation.ALLREDUCE, 9));
                assertEquals("pairs no rule of t matches", served(inter, Operation.ALLREDUCE, 801));
                assertEquals("leaders no rule of t matches", served(inter, Operation.BCAST, 99));
                assertEquals("slices rule 3 of t", served(inter, Operation.BCAST, 100));
                assertEquals("leaders no rule of t matches", served(inter, Operation.REDUCE, 8));
                for (final int count : new int[] {0, 1, 20, 100, 101, 200}) {
                    new InterContract(comm, rank.worldRank() < 2, inter.blocking(), count).check();
                }
                // one rank of the group is not enough for the first rules
                assertEquals("leaders no rule of t matches", served(join(rank.world(), 1).engine(), Operation.ALLREDUCE, 8));
            });
        }
    }

    private static List<AlgorithmRef> use(final String algorithm) {
        return List.of(AlgorithmRef.of("basic/" + algorithm));
    }

    private static String served(final CollectiveEngine engine, final Operation<?> operation, final long bytes) {
        final Explanation e = engine.explain(operation, bytes);
        return e.algorithm() + " " + e.rule().replaceFirst(":.*", "");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRunManyAtOnceTogetherWithThoseOfTheWorld(final int nodes) throws Exception {
        Ranks.run(5, nodes, BASIC, rank -> {
            final Communicator world = rank.world();
            final Communicator inter = join(world, 2);
            final boolean low = world.rank() < 2;
            final List<Request> requests = new ArrayList<>();
            final long[][] sums = new long[20][1];
            final long[][] all = new long[20][1];
            final int[][] data = new int[20][3000];
            for (int i = 0; i < 20; i++) {
                requests.add(inter.engine().nonblocking().allreduce(new long[] {i + world.rank()}, sums[i], 1, Datatype.LONG, Op.SUM));
                requests.add(world.engine().nonblocking().allreduce(new long[] {i}, all[i], 1, Datatype.LONG, Op.SUM));
                final boolean rooted = low == (i % 2 == 0);
                data[i][2999] = rooted ? i : -1;
                requests.add(inter.engine().nonblocking().bcast(data[i], 3000, Datatype.INT,
                    !rooted ? i % 2 : inter.rank() == i % 2 ? Reserved.ROOT : Reserved.PROC_NULL));
            }
            for (int i = requests.size() - 1; i >= 0; i--) {
                requests.get(i).await();
            }
            for (int i = 0; i < 20; i++) {
                assertArrayEquals(new long[] {low ? 3 * i + 9 : 2 * i + 1}, sums[i]);
                assertArrayEquals(new long[] {5 * i}, all[i]);
                assertEquals(i, data[i][2999]);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldHoldTheBarrierUntilTheOtherGroupIsThere(final int nodes) throws Exception {
        final AtomicIntegerArray there = new AtomicIntegerArray(2);
        Ranks.run(5, nodes, BASIC, rank -> {
            final int mine = rank.worldRank() < 3 ? 0 : 1;
            final Communicator inter = join(rank.world(), 3);
            for (int i = 1; i <= 200; i++) {
                there.incrementAndGet(mine);
                inter.engine().blocking().barrier();
                final int others = there.get(1 - mine);
                if (others < i * inter.remoteSize()) {
                    throw new AssertionError("through barrier " + i + " with " + others + " arrivals of " + inter.remoteSize() + " others");
                }
            }
        });
    }

    @Test
    void shouldPlanACallOnceForAllForms() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Communicator inter = join(rank.world(), 1);
            final long[] into = new long[4];
            for (int i = 0; i < 10; i++) {
                inter.engine().blocking().allreduce(new long[4], into, 4, Datatype.LONG, Op.SUM);
                inter.engine().nonblocking().allreduce(new long[4], into, 4, Datatype.LONG, Op.SUM).await();
                final var r = inter.engine().persistent().allreduce(new long[4], into, 4, Datatype.LONG, Op.SUM);
                r.start();
                r.await();
                r.free();
            }
            assertEquals(1, inter.engine().blocking().planned());
        });
    }

    @Test
    void shouldRefuseCallsThatAreNotDefinedForIntercommunicators() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Communicator inter = join(rank.world(), 1);
            final Collectives<?> c = inter.engine().blocking();
            final int[] a = new int[8];
            final long[] two = new long[2];
            final Datatype t = Datatype.INT;
            final String name = inter.name();
            final int other = inter.remoteSize();
            refused(ErrorClass.ROOT, "root out of range: root=" + other + ", remote size=" + other, () -> c.bcast(a, 1, t, other));
            refused(ErrorClass.ROOT, "root out of range: root=-1, remote size=" + other, () -> c.reduce(a, a, 1, t, Op.SUM, -1));
            refused(ErrorClass.COMM, "scan is for intracommunicators: communicator=" + name, () -> c.scan(a, a, 1, t, Op.SUM));
            refused(ErrorClass.COMM, "exscan is for intracommunicators: communicator=" + name, () -> c.exscan(a, a, 1, t, Op.SUM));
            final String inPlace = "IN_PLACE is not allowed on an intercommunicator: communicator=" + name;
            refused(ErrorClass.BUFFER, inPlace, () -> c.gather(IN_PLACE, 1, t, a, 1, t, Reserved.ROOT));
            refused(ErrorClass.BUFFER, inPlace, () -> c.gatherv(IN_PLACE, 1, t, a, two, two, t, 0));
            refused(ErrorClass.BUFFER, inPlace, () -> c.scatter(a, 1, t, IN_PLACE, 1, t, Reserved.ROOT));
            refused(ErrorClass.BUFFER, inPlace, () -> c.scatterv(a, two, two, t, IN_PLACE, 1, t, 0));
            refused(ErrorClass.BUFFER, inPlace, () -> c.allgather(IN_PLACE, 1, t, a, 1, t));
            refused(ErrorClass.BUFFER, inPlace, () -> c.allgatherv(IN_PLACE, 1, t, a, two, two, t));
            refused(ErrorClass.BUFFER, inPlace, () -> c.alltoall(IN_PLACE, 1, t, a, 1, t));
            refused(ErrorClass.BUFFER, inPlace, () -> c.alltoallv(IN_PLACE, two, two, t, a, two, two, t));
            refused(ErrorClass.BUFFER, inPlace, () -> c.alltoallw(IN_PLACE, two, two, new Datatype[] {t, t}, a, two, two, new Datatype[] {t, t}));
            refused(ErrorClass.BUFFER, inPlace, () -> c.reduce(IN_PLACE, a, 1, t, Op.SUM, Reserved.ROOT));
            refused(ErrorClass.BUFFER, inPlace, () -> c.allreduce(IN_PLACE, a, 1, t, Op.SUM));
            refused(ErrorClass.BUFFER, inPlace, () -> c.reduceScatter(IN_PLACE, a, two, t, Op.SUM));
            refused(ErrorClass.BUFFER, inPlace, () -> c.reduceScatterBlock(IN_PLACE, a, 1, t, Op.SUM));
            // a count for each rank of the other group
            final long[] few = new long[other - 1];
            refused(ErrorClass.COUNT, "a count per rank is needed: counts=" + few.length + ", ranks=" + other,
                () -> c.allgatherv(a, 1, t, a, few, few, t));
            c.barrier();
        });
    }

    private static void refused(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }
}
