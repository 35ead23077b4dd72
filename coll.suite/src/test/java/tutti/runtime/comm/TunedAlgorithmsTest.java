package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.osgi.framework.Version;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Tunable;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests that every algorithm keeps the contract with other values of its parameters than those of the job. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TunedAlgorithmsTest {
    private static final int RANKS = 5;

    static Stream<Arguments> modules() {
        final Map<String, CollModule> modules = new TreeMap<>(Map.of("dissem", new DissemModule(), "recexch", new RecexchModule(), "ring",
            new RingModule(), "smp", new SmpModule(), "tree", new TreeModule()));
        return modules.entrySet().stream().flatMap(m -> Stream.of(1, 2).map(nodes -> Arguments.of(m.getKey(), m.getValue(), nodes)));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void shouldKeepTheContractWithTheParametersOfAPick(final String name, final CollModule module, final int nodes) throws Exception {
        final List<Map<String, String>> rounds = new ArrayList<>();
        for (final Explanation e : run(name, module, nodes, Map.of(), Set.of())) {
            int round = 0;
            for (final Explanation.Offer o : e.offers()) {
                if (!o.parameters().isEmpty()) {
                    if (round == rounds.size()) {
                        rounds.add(new TreeMap<>());
                    }
                    rounds.get(round++).put(e.operation(),
                        o + o.parameters().stream().map(p -> p.tunable().parameter() + "=" + small(p.tunable())).sorted()
                            .collect(Collectors.joining(",", ":", "")));
                }
            }
        }
        assertTrue(!rounds.isEmpty());
        for (final Map<String, String> round : rounds) {
            final Map<String, String> picks = new HashMap<>();
            round.forEach((operation, ref) -> picks.put("coll." + operation, ref));
            final Set<Operation<?>> operations =
                round.keySet().stream().<Operation<?>>map(Operation::of).collect(Collectors.toCollection(TreeSet::new));
            for (final Explanation e : run(name, module, nodes, picks, operations)) {
                if (round.containsKey(e.operation())) {
                    final String served = name + "/" + e.algorithm() + e.parameters().stream().map(p -> p.name() + "=" + p.value()).sorted()
                        .collect(Collectors.joining(",", ":", ""));
                    assertEquals(round.get(e.operation()), served, e::toString);
                }
            }
        }
    }

    /** Returns a value with which plans of few ranks and bytes differ from those of the default. */
    private static int small(final Tunable t) {
        return t.limit() == Tunable.Limit.BYTES ? 64 : 2;
    }

    /** Calls operations on every rank, checks their results, and returns the explanations. */
    private static List<Explanation> run(final String name, final CollModule module, final int nodes, final Map<String, String> parameters,
        final Set<Operation<?>> operations)
        throws Exception {
        final ConcurrentLinkedQueue<Explanation> explanations = new ConcurrentLinkedQueue<>();
        final List<OfferedModule> offered = List.of(new OfferedModule(new ModuleId("basic", new Version(1, 0, 0), ""), new BasicModule()),
            new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module));
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(RANKS, nodes, transport, Ranks.job(RANKS, parameters, RuleTable.NONE, offered, List.of()), rank -> {
                final Communicator c = rank.world();
                for (final int count : new int[] {RANKS + 1, 200}) {
                    new CollectivesContract(c, c.engine().blocking(), count, 0).check(operations);
                }
                if (c.rank() == 0) {
                    explanations.addAll(c.engine().explain());
                }
            });
        }
        return List.copyOf(explanations);
    }
}
