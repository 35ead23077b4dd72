package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.Version;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.model.TuneMode;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests that every operation keeps the contract while its calls try all algorithms of all modules, and that all ranks keep the same ones. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class TuningOfAllModulesTest {
    private static final int CALLS = 400;

    private static OfferedModule offered(final String name, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module);
    }

    private static List<OfferedModule> modules() {
        return List.of(offered("basic", new BasicModule()), offered("dissem", new DissemModule()), offered("recexch", new RecexchModule()),
            offered("ring", new RingModule()), offered("smp", new SmpModule()), offered("tree", new TreeModule()));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "5, 1", "4, 2", "5, 2", "3, 3"})
    void shouldKeepTheContractWhileCallsAreTuned(final int ranks, final int nodes) throws Exception {
        final Map<Integer, List<CallTuning>> found = new ConcurrentHashMap<>();
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport,
                Ranks.job(ranks, Map.of(TuneMode.PARAMETER, "online"), RuleTable.NONE, modules(), List.of()), rank -> {
                    final Communicator world = rank.world();
                    for (int i = 0; i < CALLS; i++) {
                        new CollectivesContract(world, world.engine().blocking(), i % 2 == 0 ? 3 : 700, i % ranks).check();
                        if (i % 8 == 0) {
                            new CollectivesContract(world, world.engine().nonblocking(), 3, i % ranks).check();
                        }
                    }
                    found.put(world.rank(), world.engine().tuning().stream().map(t -> t.withCalls(0)).toList());
                });
        }
        found.values().forEach(f -> assertEquals(found.get(0), f));
        final Set<String> decided = found.get(0).stream().filter(CallTuning::isDecided).map(CallTuning::operation).collect(Collectors.toSet());
        assertTrue(decided.containsAll(Set.of("allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "scan")), decided::toString);
        found.get(0).forEach(t -> t.algorithms().forEach(m -> assertEquals(null, m.problem(), t::toString)));
    }
}
