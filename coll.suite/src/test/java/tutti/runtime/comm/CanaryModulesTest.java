package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Version;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.select.CanaryTrial;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/** Tests that trials find no difference between modules that are right, in calls of all operations, in place, with gaps and without data. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CanaryModulesTest {
    private static final CollModule BASIC = new BasicModule();

    static Stream<Shape> shapes() {
        return Stream.of(new Shape(2, 1), new Shape(3, 1), new Shape(5, 2), new Shape(4, 3));
    }

    private static OfferedModule offered(final CollModule module, final int version) {
        return new OfferedModule(new ModuleId(name(module), new Version(1, 0, version), "test"), module);
    }

    private static String name(final CollModule module) {
        return module.getClass().getSimpleName().replace("Module", "").toLowerCase(Locale.ROOT);
    }

    private static JobModules modules(final int ranks, final int change, final List<OfferedModule> all) {
        return modules(ranks, change, all, null);
    }

    private static JobModules modules(final int ranks, final int change, final List<OfferedModule> all, final @Nullable CanaryTrial trial) {
        return new JobModules("test", ranks, agreed(all), all).changed(agreed(all), all, change, trial);
    }

    private static AgreedModules agreed(final List<OfferedModule> all) {
        return new AgreedModules(all.stream().map(OfferedModule::id).toList(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    }

    private static CanaryReport run(final Shape shape, final List<OfferedModule> serving, final List<OfferedModule> candidate) throws Exception {
        final int ranks = shape.ranks();
        final Set<LiveModules> nodes = ConcurrentHashMap.newKeySet();
        final CountDownLatch known = new CountDownLatch(ranks);
        final AtomicReference<CanaryReport> last = new AtomicReference<>();
        try (MemoryTransport transport = new MemoryTransport(1 << 17)) {
            Ranks.run(ranks, shape.nodes(), transport, modules(ranks, 0, serving), rank -> {
                nodes.add(rank.context().job().live());
                known.countDown();
                assertTrue(known.await(90, TimeUnit.SECONDS));
                if (rank.worldRank() == 0) {
                    final CanaryTrial trial = new CanaryTrial(modules(ranks, 1, candidate), 1, 1e9, 1_000_000);
                    nodes.forEach(n -> n.accept(modules(ranks, 1, serving, trial)));
                    nodes.forEach(n -> n.follow(1));
                }
                final Communicator world = rank.world();
                world.engine().blocking().barrier();
                rank.follow().toCompletableFuture().get(60, TimeUnit.SECONDS);
                for (final int count : new int[] {0, 1, ranks + 1, 1009}) {
                    new CollectivesContract(world, world.engine().blocking(), count, ranks - 1).check();
                    NeighborContract.check(world, world.engine().blocking(), "compared");
                }
                if (rank.worldRank() == 0) {
                    last.set(world.engine().canary());
                }
            });
        }
        final CanaryReport report = last.get();
        assertNotNull(report);
        return report;
    }

    private static CanaryReport runRight(final Shape shape, final List<OfferedModule> serving, final List<OfferedModule> candidate) throws Exception {
        final CanaryReport report = run(shape, serving, candidate);
        assertTrue(report.verdict() == CanaryReport.Verdict.RUNNING || isUnused(report), report::toString);
        assertEquals(0, report.classes().stream().mapToInt(c -> c.differences() + c.unverified()).sum(), report::toString);
        return report;
    }

    /** Returns whether the candidate has declined. */
    private static boolean isUnused(final CanaryReport report) {
        return report.verdict() == CanaryReport.Verdict.ABANDONED && report.reason().startsWith("it serves no calls here: ");
    }

    /** Does nothing in calls of one operation. */
    private record Idle(Operation<?> operation) implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(95, table(operation));
        }

        private static <C extends Call> AlgorithmTable table(final Operation<C> operation) {
            return AlgorithmTable.builder().intra(operation, "idle", (call, plan) -> {
                // it has no tasks
            }).build();
        }
    }

    static Stream<Operation<?>> operations() {
        return Operation.values().stream().filter(o -> o != (Operation<?>) Operation.BARRIER);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldFindAModuleThatDoesNothing(final Operation<?> operation) throws Exception {
        final CanaryReport report = run(new Shape(3, 2), List.of(offered(BASIC, 0)), List.of(offered(BASIC, 0), offered(new Idle(operation), 0)));
        assertEquals(CanaryReport.Verdict.WRONG, report.verdict(), report::toString);
        final CanaryReport.Difference difference = report.difference();
        assertNotNull(difference);
        assertEquals(operation.id(), difference.operation(), report::toString);
        assertTrue(difference.what().contains(": expected "), report::toString);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldFindNoDifferenceBetweenTheSameAlgorithms(final Shape shape) throws Exception {
        final CanaryReport report = runRight(shape, List.of(offered(BASIC, 0)), List.of(offered(BASIC, 1)));
        assertTrue(report.classes().stream().allMatch(c -> c.compared() > 0 && c.exclusion() == null), report::toString);
        assertTrue(report.classes().size() > 30, report::toString);
    }

    static Stream<Arguments> candidates() {
        return shapes().flatMap(s -> Stream.of(new DissemModule(), new RecexchModule(), new RingModule(), new SmpModule(), new TreeModule())
            .map(m -> Arguments.of(s, m)));
    }

    @ParameterizedTest
    @MethodSource("candidates")
    void shouldFindNoDifferenceInAnotherModule(final Shape shape, final CollModule module) throws Exception {
        final CanaryReport report = runRight(shape, List.of(offered(BASIC, 0)), List.of(offered(BASIC, 0), offered(module, 0)));
        assertTrue(report.shadows() > 0 || shape.ranks() == 2 && isUnused(report), report::toString);
    }
}
