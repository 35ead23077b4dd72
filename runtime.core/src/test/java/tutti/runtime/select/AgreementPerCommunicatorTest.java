package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests jobs on three nodes that hold different modules: each communicator is served by what its own nodes hold. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgreementPerCommunicatorTest {
    private static final CollModule STAR = comm -> QueryResult.usable(90,
        AlgorithmTable.builder().intra(Operation.BCAST, "star", (call, plan) -> {
            for (int r = 0; r < plan.size(); r++) {
                if (plan.rank() == call.root() && r != call.root()) {
                    plan.send(Buffer.RECV.at(0, call.bytes()), r);
                }
            }
            if (plan.rank() != call.root()) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
            }
        }).build());

    private final Map<ModuleId, OfferedModule> modules = new LinkedHashMap<>();
    private final Map<String, Catalogue> nodes = new LinkedHashMap<>();

    /** Adds a node that holds module basic and versions of module star. */
    private AgreementPerCommunicatorTest node(final String name, final String... versions) {
        final List<ModuleId> held = new ArrayList<>(List.of(add("basic", "1.0.0", new BasicModule())));
        for (final String v : versions) {
            held.add(add("star", v, STAR));
        }
        nodes.put(name, new Catalogue(1, held));
        return this;
    }

    private ModuleId add(final String name, final String version, final CollModule module) {
        final ModuleId id = new ModuleId(name, Version.parseVersion(version), name + version);
        modules.putIfAbsent(id, new OfferedModule(id, module));
        return id;
    }

    /** Runs six ranks, placed in turn on three nodes. */
    private void run(final Ranks.Body body) throws Exception {
        final AgreedModules agreement = AgreedModules.between(nodes).with(Map.of(), Set.of(), RuleTable.NONE);
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(6, 3, transport, new JobModules("test", 6, agreement, List.copyOf(modules.values())), body);
        }
    }

    private static Explanation bcast(final Communicator comm) {
        return comm.engine().explain(Operation.BCAST, 8);
    }

    private static void checkBcast(final Communicator comm, final String module) {
        assertEquals(module, bcast(comm).module(), comm::name);
        final int[] data = {comm.rank() == 0 ? 42 : 0};
        comm.engine().blocking().bcast(data, 1, Datatype.INT, 0);
        assertEquals(42, data[0]);
    }

    @Test
    void shouldServeWithAModuleThatExactlyTheNodesOfTheCommunicatorHold() throws Exception {
        node("a", "1.0.0").node("b", "1.0.0").node("c").run(rank -> {
            final Communicator world = rank.world();
            final boolean holds = rank.worldRank() % 3 < 2;
            checkBcast(world, "basic 1.0.0");
            assertEquals(List.of(new ExcludedModule("star 1.0.0", "missing on node c")), bcast(world).others());

            final Communicator group = world.split(holds ? 0 : 1, 0);
            checkBcast(group, holds ? "star 1.0.0" : "basic 1.0.0");
            checkBcast(group.dup(), holds ? "star 1.0.0" : "basic 1.0.0");
            checkBcast(rank.self(), holds ? "star 1.0.0" : "basic 1.0.0");
            final Communicator pair = world.split(rank.worldRank() % 3 == 1 ? 1 : 0, 0);
            checkBcast(pair, rank.worldRank() % 3 == 1 ? "star 1.0.0" : "basic 1.0.0");

            final Communicator both = group.createIntercomm(0, world, holds ? 2 : 0, 1);
            assertEquals(List.of("missing on node c"), both.engine().explain(Operation.BARRIER, 0).others().stream()
                .map(ExcludedModule::reason).toList());
            checkBcast(both.merge(false), "basic 1.0.0");
        });
    }

    @Test
    void shouldServeWithTheHighestVersionOfTheNodesOfTheCommunicator() throws Exception {
        node("a", "1.0.0", "1.1.0").node("b", "1.1.0", "1.0.0").node("c", "1.0.0").run(rank -> {
            checkBcast(rank.world(), "star 1.0.0");
            final boolean isLast = rank.worldRank() % 3 == 2;
            final Communicator group = rank.world().split(isLast ? 0 : 1, 0);
            checkBcast(group, isLast ? "star 1.0.0" : "star 1.1.0");
            assertEquals(isLast ? "missing on node c" : "version 1.1.0 is higher", bcast(group).others().getLast().reason());
        });
    }
}
