package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.model.Group;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests what a module may do, and learns, while it is initialised, on ranks of two nodes. Every communicator has module basic as well. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleInitTest {
    private static final int RANKS = 5;

    private final List<OfferedModule> modules = new ArrayList<>(List.of(offered("basic", new BasicModule())));
    private Map<String, String> parameters = Map.of();

    /** Initialises a module on a communicator. */
    private interface Init {
        AlgorithmTable apply(SetupComm comm) throws Exception;
    }

    private static OfferedModule offered(final String name, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module);
    }

    /** Adds a module that is not used on hidden communicators. */
    private void with(final String name, final int priority, final Init init) {
        modules.add(offered(name, comm -> comm.origin() == CollComm.Origin.HIDDEN ? new QueryResult.Declined("hidden")
            : new QueryResult.Usable(priority, new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return bcast("offered", STAR);
                }

                @Override
                public AlgorithmTable init() throws Exception {
                    return init.apply(SetupComm.of(comm));
                }

                @Override
                public boolean servesDuplicates() {
                    return true;
                }
            })));
    }

    private static final Algorithm<Call.Bcast> STAR = (call, plan) -> {
        for (int r = 0; r < plan.size(); r++) {
            if (plan.rank() == call.root() && r != call.root()) {
                plan.send(Buffer.RECV.at(0, call.bytes()), r);
            }
        }
        if (plan.rank() != call.root()) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
        }
    };

    private static AlgorithmTable bcast(final String name, final Algorithm<Call.Bcast> algorithm) {
        return AlgorithmTable.builder().intra(Operation.BCAST, name, algorithm).build();
    }

    private void run(final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(RANKS, 2, transport, Ranks.job(RANKS, parameters, RuleTable.NONE, modules, List.of()), body);
        }
    }

    private static Explanation bcast(final Communicator comm) {
        return comm.engine().explain(Operation.BCAST, 4);
    }

    private static void checkBcast(final Communicator comm) {
        for (int root = 0; root < comm.size(); root++) {
            final int[] data = {comm.rank() == root ? 42 : 0};
            comm.engine().blocking().bcast(data, 1, Datatype.INT, root);
            assertEquals(42, data[0]);
        }
    }

    /** Returns what serves bcast on COMM_WORLD, and why module m does not; checks that all ranks say so. */
    private String served() throws Exception {
        final Set<String> said = new ConcurrentSkipListSet<>();
        run(rank -> {
            final Explanation e = bcast(rank.world());
            said.add(e.module() + "/" + e.algorithm()
                + e.others().stream().filter(o -> o.module().startsWith("m ")).map(o -> " not m: " + o.reason()).findFirst().orElse(""));
            checkBcast(rank.world());
        });
        assertEquals(1, said.size(), said::toString);
        return said.iterator().next();
    }

    @Test
    void shouldLearnHowTheCommunicatorWasMade() throws Exception {
        final Set<String> seen = new ConcurrentSkipListSet<>();
        modules.add(offered("m", comm -> {
            seen.add(comm.origin() + " of " + comm.parent() + (comm.isInter() ? " inter" : ""));
            return new QueryResult.Declined("only looks");
        }));
        final Map<String, Set<String>> byStep = new ConcurrentHashMap<>();
        run(rank -> {
            final Communicator world = rank.world();
            world.engine().blocking().barrier();
            step(rank, byStep, seen, "world", () -> {});
            step(rank, byStep, seen, "split", () -> world.split(world.rank() % 2, 0));
            step(rank, byStep, seen, "create", () -> world.create(Group.first(3)));
            step(rank, byStep, seen, "createGroup", () -> world.createGroup(Group.first(RANKS), 1));
            step(rank, byStep, seen, "self", () -> rank.self().engine().explain());
            final Communicator half = world.split(world.rank() % 2, 0);
            step(rank, byStep, seen, "intercomm", () -> half.createIntercomm(0, world, 1 - world.rank() % 2, 1));
            final Communicator both = half.createIntercomm(0, world, 1 - world.rank() % 2, 2);
            both.setName("both");
            step(rank, byStep, seen, "merge", () -> both.merge(false));
        });
        assertEquals(Map.of("world", Set.of(), "split", Set.of("PART of MPI_COMM_WORLD"), "create", Set.of("PART of MPI_COMM_WORLD"),
            "createGroup", Set.of("PART of MPI_COMM_WORLD"), "self", Set.of("PREDEFINED of null"), "merge", Set.of("JOINED of null")),
            byStep.entrySet().stream().filter(e -> !e.getKey().equals("intercomm"))
                .collect(java.util.stream.Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        final Set<String> intercomm = byStep.get("intercomm");
        assertEquals(2, intercomm.size(), intercomm::toString);
        assertTrue(intercomm.contains("JOINED of null inter"), intercomm::toString);
        assertTrue(intercomm.stream().anyMatch(o -> o.startsWith("HIDDEN of comm ")), intercomm::toString);
    }

    /** Records what is seen in a step that all ranks take together. */
    private static void step(final Rank rank, final Map<String, Set<String>> byStep, final Set<String> seen, final String name,
        final Runnable action) {
        rank.world().engine().blocking().barrier();
        seen.clear();
        rank.world().engine().blocking().barrier();
        action.run();
        rank.world().engine().blocking().barrier();
        byStep.put(name, new TreeSet<>(seen));
        rank.world().engine().blocking().barrier();
    }

    @Test
    void shouldBeADuplicateWhereTheInstanceDoesNotServeIt() throws Exception {
        final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        modules.add(offered("m", comm -> {
            seen.add(comm.origin() + " of " + comm.parent());
            return new QueryResult.Usable(90, () -> bcast("m", STAR));
        }));
        run(rank -> rank.world().dup());
        assertEquals(Set.of("PREDEFINED of null", "DUPLICATE of MPI_COMM_WORLD"), Set.copyOf(seen));
    }

    @Test
    void shouldMeetAndCombineValuesOfAllRanks() throws Exception {
        final AtomicInteger arrived = new AtomicInteger();
        with("m", 90, comm -> {
            arrived.incrementAndGet();
            comm.barrier();
            assertEquals(RANKS, arrived.get());
            final long[] values = {comm.rank(), -comm.rank(), 1};
            comm.allreduce(values, Long::max);
            assertArrayEquals(new long[] {RANKS - 1, 0, 1}, values);
            comm.allreduce(values, Long::sum);
            assertArrayEquals(new long[] {(RANKS - 1) * RANKS, 0, RANKS}, values);
            comm.allreduce(new long[0], Long::sum);
            return bcast("m", STAR);
        });
        assertEquals("m 1.0.0/m", served());
    }

    @Test
    void shouldCombineValuesOfBothGroupsOfAnIntercommunicator() throws Exception {
        final AtomicInteger combined = new AtomicInteger();
        modules.add(offered("m", comm -> {
            if (comm.isInter()) {
                final long[] one = {1};
                SetupComm.of(comm).allreduce(one, Long::sum);
                SetupComm.of(comm).barrier();
                assertEquals(RANKS, one[0]);
                combined.incrementAndGet();
            }
            return new QueryResult.Declined("only combines");
        }));
        run(rank -> {
            final int half = rank.worldRank() % 2;
            rank.world().split(half, 0).createIntercomm(0, rank.world(), 1 - half, 1);
        });
        assertEquals(RANKS, combined.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail", "allreduce", "barrier", "split", "longer"})
    void shouldNotWaitForARankThatDoesSomethingElse(final String what) throws Exception {
        with("m", 90, comm -> {
            if (comm.rank() == 2) {
                switch (what) {
                    case "fail" -> throw new IllegalStateException("no memory");
                    case "allreduce" -> comm.allreduce(new long[0], Long::sum);
                    case "split" -> comm.split("all", 0, 0);
                    case "longer" -> comm.allreduce(new long[2], Long::sum);
                    default -> comm.barrier();
                }
            }
            try {
                comm.allreduce(new long[1], Long::sum);
            } finally {
                assertThrows(IllegalStateException.class, comm::barrier, "refused without asking the others again");
            }
            return bcast("m", STAR);
        });
        final String served = served();
        assertTrue(served.startsWith("basic 1.0.0/binomial not m: init failed: another rank did not call allreduce of 1 values: "
            + "communicator=MPI_COMM_WORLD"), served);
    }

    @Test
    void shouldPermitNothingAfterInit() throws Exception {
        final ConcurrentLinkedQueue<SetupComm> comms = new ConcurrentLinkedQueue<>();
        with("m", 90, comm -> {
            comms.add(comm);
            return bcast("m", STAR);
        });
        assertEquals("m 1.0.0/m", served());
        assertThrows(IllegalStateException.class, () -> comms.peek().barrier());
        assertThrows(IllegalStateException.class, () -> comms.peek().allreduce(new long[1], Long::sum));
        assertThrows(IllegalStateException.class, () -> comms.peek().split("all", 0, 0, "basic"));
        assertThrows(IllegalStateException.class, () -> comms.peek().algorithm(Operation.BCAST, "basic"));
    }

    /** Adds a module that serves hidden communicators, too, and counts its plans there. */
    private AtomicInteger withInner(final String name, final int priority) {
        final AtomicInteger plans = new AtomicInteger();
        modules.add(offered(name, comm -> QueryResult.usable(priority, bcast(name, (call, plan) -> {
            if (comm.origin() == CollComm.Origin.HIDDEN) {
                plans.incrementAndGet();
            }
            STAR.plan(call, plan);
        }))));
        return plans;
    }

    /** Returns which modules serve the collectives nested in a bcast, and why. */
    private List<String> nestedServers() throws Exception {
        final Set<List<String>> said = ConcurrentHashMap.newKeySet();
        run(rank -> said.add(rank.world().engine().plan(Operation.BCAST, 8, 0, 1).parts().stream().map(p -> p.module() + " " + p.reason()).toList()));
        assertEquals(1, said.size(), said::toString);
        return said.iterator().next();
    }

    private static AlgorithmTable nested(final SetupComm comm, final String... names) {
        final CollSubComm all = comm.split("all", 0, 0, names);
        return bcast("m", (call, plan) -> AdvancedPlan.of(plan).nested(all, Operation.BCAST, call, null, Buffer.RECV.at(0, call.bytes())));
    }

    @Test
    void shouldNameHiddenCommunicatorsAlikeOnAllTheirRanksAndLikeNoOthers() throws Exception {
        final Map<String, Set<Integer>> ranks = new ConcurrentHashMap<>();
        final Init init = comm -> {
            final CollSubComm[] groups = {comm.split("node", comm.nodeOf(comm.rank()), 0), comm.split("first", comm.rank() < 2 ? 3 : -1, 0),
                comm.split("pair", comm.rank() == 4 ? -1 : comm.rank() / 2, 0)};
            Stream.of(groups).filter(Objects::nonNull)
                .forEach(g -> ranks.computeIfAbsent(g.toString(), n -> new ConcurrentSkipListSet<>()).add(comm.rank()));
            return bcast("m", STAR);
        };
        with("n", 80, init);
        with("m", 90, comm -> {
            comm.algorithm(Operation.BCAST, "n");
            return init.apply(comm);
        });
        modules.add(offered("l", comm -> {
            if (comm.isInter()) {
                ranks.computeIfAbsent(SetupComm.of(comm).local().toString().replaceFirst("comm \\d+", "inter"),
                    n -> new ConcurrentSkipListSet<>()).add(comm.rank());
            }
            return new QueryResult.Declined("only looks");
        }));
        run(rank -> {
            final int half = rank.worldRank() % 2;
            rank.world().split(half, 0).createIntercomm(0, rank.world(), 1 - half, 1);
        });
        final Map<String, Set<Integer>> expected = new TreeMap<>(Map.of("inter/local", Set.of(0, 1, 2)));
        for (final String module : List.of("m", "n")) {
            expected.putAll(Map.of("MPI_COMM_WORLD/" + module + ".node.0", Set.of(0, 2, 4), "MPI_COMM_WORLD/" + module + ".node.1", Set.of(1, 3),
                "MPI_COMM_WORLD/" + module + ".first", Set.of(0, 1), "MPI_COMM_WORLD/" + module + ".pair.0", Set.of(0, 1),
                "MPI_COMM_WORLD/" + module + ".pair.1", Set.of(2, 3)));
        }
        ranks.keySet().removeIf(n -> n.startsWith("comm "));
        assertEquals(expected, new TreeMap<>(ranks));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "again"})
    void shouldExcludeAModuleThatGivesASplitABadName(final String name) throws Exception {
        with("m", 90, comm -> {
            comm.split("again", 0, 0);
            comm.split(name, 0, 0);
            return bcast("m", STAR);
        });
        final String reason = name.equals("again") ? "name of an earlier split: name=again; " : "not the name of a split: name=\"" + name + "\", ";
        final String served = served();
        assertTrue(served.startsWith("basic 1.0.0/binomial not m: init failed: " + reason), served);
    }

    @Test
    void shouldExcludeAModuleThatGivesASplitOtherNamesOnOtherRanks() throws Exception {
        with("m", 90, comm -> {
            comm.split(comm.rank() == 1 ? "one" : "other", 0, 0);
            return bcast("m", STAR);
        });
        final String served = served();
        assertTrue(served.startsWith("basic 1.0.0/binomial not m: init failed: another rank did not call split other: "), served);
    }

    @Test
    void shouldNameTheHiddenCommunicatorsOfADuplicateAfterTheNameThatItHasNow() throws Exception {
        with("m", 90, comm -> nested(comm));
        run(rank -> {
            final Communicator duplicate = rank.world().dup();
            assertEquals(duplicate.name() + "/m.all", group(duplicate, 8));
            duplicate.setName("rows");
            assertEquals("rows/m.all", group(duplicate, 16));
            assertEquals("MPI_COMM_WORLD/m.all", group(rank.world(), 8));
        });
    }

    /** Returns the name of the hidden communicator on which a bcast nests another one. */
    private static String group(final Communicator comm, final long bytes) {
        return comm.engine().plan(Operation.BCAST, bytes, 0, 1).parts().getFirst().communicator();
    }

    @Test
    void shouldLetTheNamedModulesServeTheCommunicatorsOfASplit() throws Exception {
        final AtomicInteger high = withInner("high", 50);
        final AtomicInteger low = withInner("low", 15);
        with("m", 90, comm -> nested(comm, "absent", "low"));
        assertEquals("m 1.0.0/m", served());
        assertEquals(List.of("low 1.0.0 was named by the module that made the communicator"), nestedServers());
        assertEquals(0, high.get());
        assertTrue(low.get() >= RANKS * RANKS, low::toString);
    }

    @Test
    void shouldFollowTheUsualOrderInASplitWithoutNames() throws Exception {
        final AtomicInteger high = withInner("high", 50);
        final AtomicInteger low = withInner("low", 15);
        with("m", 90, comm -> nested(comm));
        assertEquals("m 1.0.0/m", served());
        assertTrue(high.get() >= RANKS * RANKS, high::toString);
        assertEquals(0, low.get());
    }

    @Test
    void shouldPreferTheChoiceOfTheUserToThatOfTheModule() throws Exception {
        final AtomicInteger high = withInner("high", 50);
        final AtomicInteger low = withInner("low", 15);
        parameters = Map.of("coll.select", "m,high");
        with("m", 90, comm -> nested(comm, "low"));
        assertEquals("m 1.0.0/m", served());
        assertEquals(List.of("high 1.0.0 comes first in coll.select"), nestedServers());
        assertTrue(high.get() >= RANKS * RANKS, high::toString);
        assertEquals(0, low.get());
    }

    @Test
    void shouldExcludeAModuleThatNamesOtherModulesOnOtherRanks() throws Exception {
        with("m", 90, comm -> nested(comm, comm.rank() == 1 ? "basic" : "other"));
        final String served = served();
        assertTrue(served.startsWith("basic 1.0.0/binomial not m: init failed: another rank did not call split all for modules [other]"), served);
    }

    @ParameterizedTest
    @ValueSource(strings = {"basic", "basic/binomial"})
    void shouldPlanWithTheAlgorithmOfAnotherModule(final String name) throws Exception {
        final AtomicInteger plans = new AtomicInteger();
        with("m", 90, comm -> {
            final Algorithm<Call.Bcast> basic = comm.algorithm(Operation.BCAST, name);
            return bcast("m", (call, plan) -> {
                plans.incrementAndGet();
                basic.plan(call, plan);
            });
        });
        assertEquals("m 1.0.0/m", served());
        assertTrue(plans.get() >= RANKS * RANKS, plans::toString);
    }

    @Test
    void shouldInitialiseTheModuleThatAnotherOneUsesAlsoForDuplicates() throws Exception {
        final AtomicInteger inits = new AtomicInteger();
        final AtomicInteger plans = new AtomicInteger();
        with("m", 90, comm -> {
            final Algorithm<Call.Bcast> helper = comm.algorithm(Operation.BCAST, "helper");
            return bcast("m", helper);
        });
        with("helper", 5, comm -> {
            inits.incrementAndGet();
            final CollSubComm all = comm.split("all", 0, 0);
            return bcast("made by init", (call, plan) -> {
                plans.incrementAndGet();
                AdvancedPlan.of(plan).nested(all, Operation.BCAST, call, null, Buffer.RECV.at(0, call.bytes()));
            });
        });
        run(rank -> {
            assertEquals("m 1.0.0", bcast(rank.world()).module());
            checkBcast(rank.world());
            final Communicator dup = rank.world().dup();
            checkBcast(dup);
            dup.disconnect();
            checkBcast(rank.world());
        });
        assertEquals(RANKS, inits.get());
        assertTrue(plans.get() >= 2 * RANKS * RANKS, plans::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fails", "changes"})
    void shouldExcludeAModuleWhoseHelperCannotBeInitialised(final String how) throws Exception {
        with("m", 90, comm -> bcast("m", comm.algorithm(Operation.BCAST, "helper/offered")));
        with("helper", 5, comm -> {
            if (how.equals("fails") && comm.rank() == 3) {
                throw new IllegalStateException("no memory");
            }
            return bcast("renamed", STAR);
        });
        with("outer", 95, comm -> bcast("outer", comm.algorithm(Operation.BCAST, "m")));
        assertEquals("basic 1.0.0/binomial not m: uses bcast of helper/offered: helper "
            + (how.equals("fails") ? "init failed: no memory (rank 3)" : "has no such algorithm for bcast"), served());
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent|module is not agreed on: name=absent", "basic/x|basic/x cannot be used: basic has no such algorithm for bcast",
        "m|module uses itself: name=m", "no|no cannot be used: no declined: never (rank 0)",
        "basic/binomial:k=2|an algorithm of another module has the parameters of the job: name=basic/binomial:k=2"})
    void shouldFailInInitWhereTheOtherModuleCannotBeUsed(final String nameAndReason) throws Exception {
        final String[] parts = nameAndReason.split("\\|");
        with("m", 90, comm -> bcast("m", comm.algorithm(Operation.BCAST, parts[0])));
        modules.add(offered("no", comm -> new QueryResult.Declined("never")));
        assertEquals("basic 1.0.0/binomial not m: init failed: " + parts[1] + " (rank 0)", served());
    }

    @Test
    void shouldExcludeAModuleThatUsesOtherAlgorithmsOnOtherRanks() throws Exception {
        with("m", 90, comm -> bcast("m", comm.rank() == 1 ? STAR : comm.algorithm(Operation.BCAST, "basic")));
        assertEquals("basic 1.0.0/binomial not m: offers different algorithms on different ranks", served());
    }
}
