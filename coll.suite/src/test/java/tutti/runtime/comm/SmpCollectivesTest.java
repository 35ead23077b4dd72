package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.smp.SmpModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.DerivedTypesSuite;
import tutti.runtime.ReproducibleSuite;
import tutti.runtime.TestedShapes;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;

/** Tests the contract of the collectives with modules smp and basic in the runtime, on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmpCollectivesTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new SmpModule());
    private static final Set<String> ON_A_NODE = Set.of("allgather=shared", "allgather=direct", "allgather=gather_release", "allgatherv=shared",
        "allgatherv=direct", "allgatherv=gather_release", "allreduce=shared", "allreduce=direct", "allreduce=gather_release", "allreduce=blocks",
        "alltoall=direct", "barrier=shared", "barrier=flat", "barrier=gather_release", "bcast=direct", "exscan=fenwick", "gather=direct",
        "gatherv=direct", "reduce=shared", "reduce=gather_release", "reduce=blocks", "reduce_scatter=shared", "reduce_scatter=direct",
        "reduce_scatter=gather_release", "reduce_scatter_block=shared", "reduce_scatter_block=direct", "reduce_scatter_block=gather_release",
        "scan=fenwick", "scatter=direct");
    private static final Set<String> OVER_NODES = Stream.of("allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "gather",
        "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scatter").map(o -> o + "=hierarchical").collect(Collectors.toSet());
    private static final Map<String, String> DEEP = Map.of("coll.smp.segment", "64", "coll.smp.fanin", "2", "coll.smp.small", "100", "coll.smp.pack",
        "100");

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithmInDeepTreesAndManySegments(final Shape shape) throws Exception {
        final Set<String> expected = shape.ranks() == shape.nodes() ? Set.of() : shape.nodes() == 1 ? ON_A_NODE : OVER_NODES;
        assertEquals(expected, ContractSuite.everyAlgorithm(shape, SmpModule.class, DEEP, MODULES));
    }

    static Stream<DerivedTypesSuite.Shape> together() {
        return DerivedTypesSuite.shapes().filter(s -> s.ranks() >= 2);
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("together")
    void shouldKeepTheContractWithTypesThatHaveGaps(final DerivedTypesSuite.Shape shape) throws Exception {
        DerivedTypesSuite.run(shape, DEEP, MODULES);
    }

    /** Returns each pair of groups on one, two or three nodes. */
    static Stream<ContractSuite.Groups> groups() {
        return TestedShapes.groups().filter(g -> g.first() + g.second() >= 7 && g.nodes() == 1 + g.first() % 3);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void shouldKeepTheContractBetweenGroupsInManySegments(final ContractSuite.Groups groups) throws Exception {
        assertEquals(Set.of("allreduce=pipelined", "bcast=pipelined", "reduce=pipelined"),
            ContractSuite.everyAlgorithmBetween(groups, SmpModule.class, DEEP, MODULES));
    }

    @ParameterizedTest
    @MethodSource("groups")
    void shouldServeTheGroupsOfIntercommunicatorsOfModuleBasic(final ContractSuite.Groups groups) throws Exception {
        ContractSuite.everyAlgorithmBetween(groups, BasicModule.class, DEEP, MODULES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldGiveTheSameBitsToAllRanks(final int nodes) throws Exception {
        for (final int count : new int[] {3, 1001, 70_001}) {
            ModuleRuns.run(7, nodes, Map.of(), MODULES, rank -> {
                final Communicator c = rank.world();
                final double[] own = new Random(c.rank()).doubles(count).map(d -> Math.scalb(d - 0.5, (int) (60 * d))).toArray();
                final double[] sum = new double[count];
                c.engine().blocking().allreduce(own, sum, count, Datatype.DOUBLE, Op.SUM);
                final double[] all = new double[7 * count];
                c.engine().blocking().allgather(sum, count, Datatype.DOUBLE, all, count, Datatype.DOUBLE);
                final long[] bits = Arrays.stream(sum).mapToLong(Double::doubleToRawLongBits).toArray();
                for (int r = 0; r < 7; r++) {
                    assertArrayEquals(bits, Arrays.stream(all, r * count, (r + 1) * count).mapToLong(Double::doubleToRawLongBits).toArray());
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMoveMuchData(final int nodes) throws Exception {
        final int count = 1_000_003;
        ModuleRuns.run(5, nodes, Map.of(), MODULES, rank -> {
            final Communicator c = rank.world();
            final int[] data = new int[count];
            Arrays.setAll(data, i -> i * (c.rank() + 1));
            final int[] sums = new int[count];
            Arrays.setAll(sums, i -> 15 * i);
            final int[] reduced = new int[count];
            c.engine().blocking().reduce(data, reduced, count, Datatype.INT, Op.SUM, 3);
            c.engine().blocking().allreduce(Reserved.IN_PLACE, data, count, Datatype.INT, Op.SUM);
            assertArrayEquals(sums, data);
            final int[] copy = c.rank() == 3 ? reduced : new int[count];
            c.engine().blocking().bcast(copy, count, Datatype.INT, 3);
            assertArrayEquals(data, copy);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 8})
    void shouldGiveTheBitsOfTheCanonicalBracketsOnEveryNumberOfNodes(final int ranks) throws Exception {
        for (int nodes = 1; nodes <= 3; nodes++) {
            ReproducibleSuite.run(new Shape(ranks, nodes), Map.of(), MODULES);
        }
    }
}
