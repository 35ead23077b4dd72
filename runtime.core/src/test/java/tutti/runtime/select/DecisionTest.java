package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.model.Reserved;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.registry.OfferedModule;

/** Tests which algorithm serves a call, on ranks placed on two nodes in turn. Module basic is always present. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DecisionTest {
    private static final Op FIRST = Op.user("first", false, (in, inout, count, type) -> inout.copyFrom(in));

    private final List<OfferedModule> modules = new ArrayList<>(List.of(offered("basic", new BasicModule())));
    private final ConcurrentLinkedQueue<String> planned = new ConcurrentLinkedQueue<>();
    private Map<String, String> parameters = Map.of();
    private List<SelectionRule> rules = List.of();

    private static OfferedModule offered(final String name, final CollModule module) {
        return new OfferedModule(new ModuleId(name, new Version(1, 0, 0), ""), module);
    }

    private void with(final String name, final int priority, final AlgorithmTable table) {
        modules.add(offered(name, c -> QueryResult.usable(priority, table)));
    }

    /** Returns a correct allreduce that records each plan. */
    private Algorithm<Call.Allreduce> allreduce(final String name) {
        return (call, plan) -> {
            if (plan.rank() == 0) {
                planned.add(name + " " + call.bytes());
            }
            final var result = Buffer.RECV.at(0, call.bytes());
            if (!call.inPlace()) {
                plan.copy(call.input(), result);
            }
            for (int r = 1; plan.rank() == 0 && r < plan.size(); r++) {
                final var theirs = plan.scratch(call.bytes());
                plan.recv(theirs, r);
                plan.reduce(call.reduction(), result, theirs);
                plan.copy(theirs, result);
            }
            for (int r = 1; r < plan.size(); r++) {
                if (plan.rank() == 0) {
                    plan.send(result, r);
                } else if (plan.rank() == r) {
                    plan.send(result, 0);
                    plan.recv(result, 0);
                }
            }
        };
    }

    private AlgorithmTable.Builder offer(final AlgorithmTable.Builder table, final String name, final ReductionOrder order) {
        return table.intra(Operation.ALLREDUCE, name, allreduce(name), order);
    }

    private boolean isDefaultTable;

    private void run(final int ranks, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(ranks, 2, transport,
                Ranks.job(ranks, parameters, new RuleTable("t", rules, isDefaultTable), modules, List.of()), body);
        }
    }

    private static SelectionRule rule(final String ranks, final String bytes, final Boolean commutative, final Boolean inPlace, final String use) {
        SelectionRule rule = new SelectionRule("allreduce", Stream.of(use.split(",")).map(AlgorithmRef::of).toList())
            .with(RuleCondition.RANKS, ranks).with(RuleCondition.BYTES, bytes);
        rule = commutative == null ? rule : rule.with(RuleCondition.COMMUTATIVE, commutative.toString());
        return inPlace == null ? rule : rule.with(RuleCondition.IN_PLACE, inPlace.toString());
    }

    private static void sum(final Communicator c, final int count, final boolean inPlace) {
        final int[] data = new int[count];
        java.util.Arrays.fill(data, c.rank() + 1);
        final int[] into = inPlace ? data : new int[count];
        c.engine().blocking().allreduce(inPlace ? Reserved.IN_PLACE : data, into, count, Datatype.INT, Op.SUM);
        for (final int i : into) {
            assertEquals(c.size() * (c.size() + 1) / 2, i);
        }
    }

    private static void first(final Communicator c) {
        final int[] into = new int[1];
        c.engine().blocking().allreduce(new int[] {c.rank() + 7}, into, 1, Datatype.INT, FIRST);
        assertArrayEquals(new int[] {7}, into);
    }

    private static Explanation explain(final Rank rank) {
        return rank.world().engine().explain().get(Operation.ALLREDUCE.ordinal());
    }

    private static List<String> choices(final Explanation e) {
        return e.choices().stream().map(c -> c.calls() + " " + c.bytes() + " " + c.module() + "/" + c.algorithm() + " " + c.rule()).toList();
    }

    /** Returns the notes but the one about the links, with which the nodes of all tests are linked. */
    private static List<String> notes(final Explanation of) {
        assertEquals("links between nodes: tcp", of.notes().getLast());
        return of.notes().subList(0, of.notes().size() - 1);
    }

    @Test
    void shouldServeCallsThatTheFirstAlgorithmCannotByTheNextOfTheModule() throws Exception {
        with("m", 50, offer(offer(AlgorithmTable.builder(), "fast", ReductionOrder.ANY), "safe", ReductionOrder.RANKS).build());
        run(3, rank -> {
            sum(rank.world(), 4, false);
            first(rank.world());
            assertEquals("m 1.0.0 fast", explain(rank).module() + " " + explain(rank).algorithm());
            assertEquals(List.of(" 0.. m 1.0.0/fast null", "not commutative 0.. m 1.0.0/safe null"), choices(explain(rank)));
        });
        assertEquals(List.of("fast 16", "safe 4"), planned.stream().distinct().toList());
    }

    @Test
    void shouldDecideByTheLinksBetweenTheNodes() throws Exception {
        with("m", 50, offer(offer(AlgorithmTable.builder(), "near", ReductionOrder.RANKS), "far", ReductionOrder.RANKS).build());
        rules = List.of(rule("0..", "16..", null, null, "m/far").with(RuleCondition.LINK, "slow"));
        run(3, rank -> {
            sum(rank.world(), 4, false);
            assertEquals(List.of(), notes(explain(rank)));
        });
        parameters = Map.of(LinkSpeed.PARAMETER, "slow");
        run(3, rank -> {
            sum(rank.world(), 4, false);
            sum(rank.world(), 3, false);
            assertEquals(List.of("links between nodes are slow, by -p coll.link"), notes(explain(rank)));
            // on one node
            final Communicator self = rank.world().split(rank.worldRank() % 2, 0);
            sum(self, 4, false);
        });
        assertEquals(List.of("near 16", "far 16", "near 12"), planned.stream().distinct().toList());
    }

    @Test
    void shouldServeCallsThatAModuleCannotByTheNextModuleAndSetUpBoth() throws Exception {
        final AtomicInteger inits = new AtomicInteger();
        final AlgorithmTable any = offer(AlgorithmTable.builder(), "fast", ReductionOrder.ANY).build();
        final AlgorithmTable next = offer(AlgorithmTable.builder(), "next", ReductionOrder.RANKS).build();
        modules.add(offered("m", c -> counting(90, any, inits)));
        modules.add(offered("n", c -> counting(50, next, inits)));
        modules.add(offered("o", c -> counting(40, next, inits)));
        run(3, rank -> {
            sum(rank.world(), 4, false);
            first(rank.world());
        });
        assertEquals(List.of("fast 16", "next 4"), planned.stream().distinct().toList());
        assertEquals(3 * 2, inits.get(), "m and n, not o, on world of three ranks");
    }

    @Test
    void shouldSelectTheModulesOfSelfWhenItIsUsedFirst() throws Exception {
        final AtomicInteger inits = new AtomicInteger();
        modules.add(offered("m", c -> counting(90, offer(AlgorithmTable.builder(), "fast", ReductionOrder.RANKS).build(), inits)));
        run(3, rank -> {
            assertEquals("m 1.0.0 fast", explain(rank).module() + " " + explain(rank).algorithm());
            if (rank.worldRank() == 1) {
                sum(rank.self(), 4, false);
                sum(rank.self(), 4, false);
            }
        });
        assertEquals(3 + 1, inits.get(), "on world of three ranks and self of one");
    }

    private static QueryResult counting(final int priority, final AlgorithmTable table, final AtomicInteger inits) {
        return new QueryResult.Usable(priority, new CollInstance() {
            @Override
            public AlgorithmTable table() {
                return table;
            }

            @Override
            public AlgorithmTable init() {
                inits.incrementAndGet();
                return table;
            }
        });
    }

    @Test
    void shouldTakeTheAlgorithmThatTheUserPicked() throws Exception {
        with("m", 5, offer(offer(AlgorithmTable.builder(), "one", ReductionOrder.RANKS), "two", ReductionOrder.RANKS).build());
        parameters = Map.of("coll.allreduce", "m/two");
        rules = List.of(rule("0..", "0..", null, null, "basic"));
        run(3, rank -> {
            sum(rank.world(), 2, true);
            assertEquals("m 1.0.0 two null", explain(rank).module() + " " + explain(rank).algorithm() + " " + explain(rank).rule());
            assertEquals(List.of(new ExcludedModule("basic 1.0.0", "m was picked by coll.allreduce")), explain(rank).others());
            assertEquals(List.of(), notes(explain(rank)));
        });
        assertEquals(List.of("two 8"), planned.stream().distinct().toList());
    }

    @Test
    void shouldSayWhatThePickedModuleOffersWhenItDoesNotOfferTheAlgorithm() throws Exception {
        with("m", 5, offer(offer(AlgorithmTable.builder(), "one", ReductionOrder.RANKS), "two", ReductionOrder.RANKS).build());
        parameters = Map.of("coll.allreduce", "m/three", "coll.bcast", "m/two", "coll.scan", "x");
        run(2, rank -> {
            assertEquals("basic 1.0.0", explain(rank).module());
            assertEquals(List.of("coll.allreduce cannot select m/three: module m offers one, two"), notes(explain(rank)));
            assertEquals(List.of("coll.bcast cannot select m/two: module m does not offer bcast on all ranks"),
                notes(rank.world().engine().explain(Operation.BCAST, 0)));
            assertEquals(List.of("coll.scan cannot select x: module x is not used on this communicator"),
                notes(rank.world().engine().explain(Operation.SCAN, 0)));
        });
    }

    @Test
    void shouldTakeTheFirstRuleThatMatchesAndCanServe() throws Exception {
        with("m", 5, offer(offer(offer(AlgorithmTable.builder(), "any", ReductionOrder.ANY), "small", ReductionOrder.RANKS), "place",
            ReductionOrder.RANKS).build());
        rules = List.of(rule("4..", "0..", null, null, "m/small"), rule("0..", "0..", null, null, "absent/x"), rule("0..", "0..", null, null, "m/x"),
            rule("3", "..16", null, true, "m/place"), rule("3", "..16", null, null, "m/any"), rule("3", "..8", false, null, "m/small"));
        run(3, rank -> {
            sum(rank.world(), 4, false);
            sum(rank.world(), 4, true);
            sum(rank.world(), 5, false);
            first(rank.world());
            final Explanation e = explain(rank);
            assertEquals("rule 5 of t: allreduce, ranks 3, bytes ..16: m/any", e.rule());
            assertEquals(List.of(" ..16 m 1.0.0/any rule 5 of t", " 17.. basic 1.0.0/recursive_doubling null",
                "in place ..16 m 1.0.0/place rule 4 of t",
                "in place 17.. basic 1.0.0/recursive_doubling null", "not commutative ..8 m 1.0.0/small rule 6 of t",
                "not commutative 9.. basic 1.0.0/recursive_doubling null"), choices(e));
            assertEquals(List.of("rule 2 of t cannot select absent/x: module absent is not used on this communicator",
                "rule 3 of t cannot select m/x: module m offers any, small, place"), notes(e));
            assertEquals(List.of(new ExcludedModule("basic 1.0.0", "m is named by rule 5 of t")), e.others());
            final Explanation large = rank.world().engine().explain(Operation.ALLREDUCE, 1 << 20);
            assertEquals("basic 1.0.0 no rule of t matches", large.module() + " " + large.rule());
            assertEquals(List.of(), large.choices());
        });
        assertEquals(List.of("any 16", "place 16", "small 4"), planned.stream().distinct().toList());
    }

    @Test
    void shouldExplainReductionsOfTheProgramAndBlocksByTheirSizes() throws Exception {
        with("m", 5, offer(offer(AlgorithmTable.builder(), "mine", ReductionOrder.RANKS), "other", ReductionOrder.RANKS)
            .intra(Operation.ALLGATHER, "small", (call, plan) -> {}).intra(Operation.REDUCE_SCATTER, "even", (call, plan) -> {}).build());
        rules = List.of(rule("3", "..16", null, null, "m/mine").with(RuleCondition.PREDEFINED, "false").with(RuleCondition.LEVEL, "cluster"),
            rule("3", "0..", null, null, "m/other").with(RuleCondition.LEVEL, "host or cluster").with(RuleCondition.POWER_OF_TWO, "false"),
            new SelectionRule("allgather", List.of(AlgorithmRef.of("m/small"))).with(RuleCondition.BLOCK, "8..9"),
            new SelectionRule("reduce_scatter", List.of(AlgorithmRef.of("m/even"))).with(RuleCondition.REGULAR, "true"));
        run(3, rank -> {
            sum(rank.world(), 4, false);
            first(rank.world());
            final Explanation e = explain(rank);
            assertEquals("rule 2 of t: allreduce, ranks 3, not power of two, level cluster or host: m/other", e.rule());
            assertEquals(List.of(" 0.. m 1.0.0/other rule 2 of t", "not predefined ..16 m 1.0.0/mine rule 1 of t",
                "not predefined 17.. m 1.0.0/other rule 2 of t", "not commutative ..16 m 1.0.0/mine rule 1 of t",
                "not commutative 17.. m 1.0.0/other rule 2 of t"), choices(e));
            final Explanation blocks = rank.world().engine().explain().get(Operation.ALLGATHER.ordinal());
            final String basic = blocks.choices().getFirst().module() + "/" + blocks.choices().getFirst().algorithm() + " null";
            assertEquals(List.of(" ..23 " + basic, " 24..29 m 1.0.0/small rule 3 of t", " 30.. " + basic), choices(blocks));
            assertEquals("rule 3 of t: allgather, block 8..9: m/small", rank.world().engine().explain(Operation.ALLGATHER, 29).rule());
            final Explanation even = rank.world().engine().explain().get(Operation.REDUCE_SCATTER.ordinal());
            assertEquals("even", even.algorithm());
            assertEquals(List.of("", "not regular"), even.choices().stream().map(Explanation.Choice::calls).distinct().toList());
        });
        assertEquals(List.of("other 16", "mine 4"), planned.stream().distinct().toList());
    }

    @Test
    void shouldTakeTheFirstReferenceOfARuleThatCanServeAndNoteOnlyWhenNoneCan() throws Exception {
        with("m", 5, offer(offer(AlgorithmTable.builder(), "any", ReductionOrder.ANY), "safe", ReductionOrder.RANKS).build());
        rules = List.of(rule("0..", "..8", null, null, "absent,m/x,m/any,m/safe"), rule("0..", "9..16", null, null, "absent/y,m/x"));
        run(2, rank -> {
            sum(rank.world(), 1, false);
            first(rank.world());
            final Explanation e = explain(rank);
            assertEquals("rule 1 of t: allreduce, bytes ..8: absent, else m/x, else m/any, else m/safe", e.rule());
            assertEquals(List.of(" ..8 m 1.0.0/any rule 1 of t", " 9.. basic 1.0.0/recursive_doubling null",
                "not commutative ..8 m 1.0.0/safe rule 1 of t", "not commutative 9.. basic 1.0.0/recursive_doubling null"), choices(e));
            assertEquals(List.of("rule 2 of t cannot select absent/y: module absent is not used on this communicator",
                "rule 2 of t cannot select m/x: module m offers any, safe"), notes(e));
        });
        assertEquals(List.of("any 4", "safe 4"), planned.stream().distinct().toList());
    }

    @Test
    void shouldPutWhatTheUserNamedFirstBeforeRules() throws Exception {
        with("m", 5, offer(AlgorithmTable.builder(), "mine", ReductionOrder.RANKS).build());
        parameters = Map.of("coll.select", "m");
        rules = List.of(new SelectionRule(null, List.of(new AlgorithmRef("basic", null))));
        run(2, rank -> {
            assertEquals("m 1.0.0", explain(rank).module());
            assertEquals("rule 1 of t: any operation: basic", rank.world().engine().explain(Operation.BCAST, 0).rule());
        });
    }

    @Test
    void shouldTakeAnyAlgorithmOfAModuleThatARuleNames() throws Exception {
        with("m", 5, offer(offer(AlgorithmTable.builder(), "any", ReductionOrder.ANY), "safe", ReductionOrder.RANKS).build());
        rules = List.of(rule("0..", "8..", null, null, "m"));
        run(2, rank -> assertEquals(List.of(" ..7 basic 1.0.0/recursive_doubling null", " 8.. m 1.0.0/any rule 1 of t",
            "not commutative ..7 basic 1.0.0/recursive_doubling null", "not commutative 8.. m 1.0.0/safe rule 1 of t"), choices(explain(rank))));
    }

    @Test
    void shouldLetSubCommunicatorsChooseByTheirOwnRanksAndNodes() throws Exception {
        with("m", 5, offer(AlgorithmTable.builder(), "pair", ReductionOrder.RANKS).build());
        rules = List.of(rule("2", "0..", null, null, "m/pair"));
        modules.add(offered("h", c -> c.name().contains("/") || c.size() < 3 ? new QueryResult.Declined("a part") : hierarchical(c)));
        run(4, rank -> {
            assertEquals("h 1.0.0", explain(rank).module());
            sum(rank.world(), 3, false);
            assertEquals(List.of("m pair (rule 1 of t)", "m pair (rule 1 of t)"),
                rank.world().engine().plan(Operation.ALLREDUCE, 24, 0, 1).parts().stream()
                    .map(p -> p.module().replaceFirst(" .*", "") + " " + p.algorithm() + " (" + p.reason() + ")").toList());
            final Communicator half = rank.world().split(rank.worldRank() / 2, 0);
            assertEquals("m 1.0.0", half.engine().explain().get(Operation.ALLREDUCE.ordinal()).module());
            half.free();
        });
        assertTrue(planned.contains("pair 12"), planned.toString());
    }

    /** Returns an allreduce within each node, then among pairs of ranks of both nodes. */
    private static QueryResult hierarchical(final CollComm comm) {
        return new QueryResult.Usable(90, new CollInstance() {
            private AlgorithmTable table = AlgorithmTable.builder().intra(Operation.ALLREDUCE, "h", (call, plan) -> {}).build();

            @Override
            public AlgorithmTable table() {
                return table;
            }

            @Override
            public AlgorithmTable init() {
                final CollSubComm node = SetupComm.of(comm).split("node", comm.nodeOf(comm.rank()), comm.rank());
                final CollSubComm across = SetupComm.of(comm).split("across", node.rank(), comm.rank());
                table = AlgorithmTable.builder().intra(Operation.ALLREDUCE, "h", (call, plan) -> {
                    final var sums = plan.scratch(call.bytes());
                    final var part = new Call.Allreduce(call.reduction(), call.count(), false);
                    AdvancedPlan.of(plan).nested(node, Operation.ALLREDUCE, part, call.input(), sums);
                    AdvancedPlan.of(plan).nested(across, Operation.ALLREDUCE, part, sums, Buffer.RECV.at(0, call.bytes()));
                }, ReductionOrder.ANY).build();
                return table;
            }
        });
    }

    @Test
    void shouldExcludeAModuleThatOffersOtherAlgorithmsOnOneRank() throws Exception {
        final AlgorithmTable some = offer(offer(AlgorithmTable.builder(), "any", ReductionOrder.ANY), "safe", ReductionOrder.RANKS).build();
        modules.add(offered("m", c -> QueryResult.usable(50, c.rank() == 1 ? offer(AlgorithmTable.builder(), "any", ReductionOrder.RANKS).build()
            : some)));
        run(3, rank -> {
            first(rank.world());
            assertEquals(List.of(new ExcludedModule("m 1.0.0", "offers different algorithms on different ranks")), explain(rank).others());
        });
    }

    @Test
    void shouldSelectOnlyCanonicalOrderWhereTheJobIsReproducible() throws Exception {
        with("m", 50, offer(offer(AlgorithmTable.builder(), "any", ReductionOrder.ANY), "own", ReductionOrder.RANKS).build());
        with("n", 40, offer(offer(AlgorithmTable.builder(), "own", ReductionOrder.RANKS), "canonical", ReductionOrder.CANONICAL).build());
        parameters = Map.of("coll.reproducible", "true", "coll.allreduce", "m/own");
        rules = List.of(rule("0..", "0..", null, null, "n/own"));
        run(3, rank -> {
            assertEquals("n 1.0.0 canonical", explain(rank).module() + " " + explain(rank).algorithm());
            assertEquals(List.of(new ExcludedModule("basic 1.0.0", "priority 10 is below 40 of n"),
                new ExcludedModule("m 1.0.0", "non-canonical reduction order; coll.reproducible=true")), explain(rank).others());
            assertEquals(List.of("coll.allreduce cannot select m/own: module m has a non-canonical reduction order; coll.reproducible=true",
                "rule 1 of t cannot select n/own: module n has a non-canonical reduction order; coll.reproducible=true"), notes(explain(rank)));
            assertEquals("doubling is not taken", rank.world().engine().explain(Operation.SCAN, 0).algorithm().equals("recursive_doubling")
                ? "doubling is not taken" : "doubling");
        });
        assertEquals(List.of(), planned.stream().distinct().toList());
    }

    @Test
    void shouldPlanNothingForEmptyCallsOfOperationsThatSkipThem() throws Exception {
        with("m", 50, offer(AlgorithmTable.builder(), "never", ReductionOrder.ANY).build());
        run(2, rank -> rank.world().engine().blocking().allreduce(new int[0], new int[0], 0, Datatype.INT, Op.SUM));
        assertEquals(List.of(), planned.stream().distinct().toList());
    }

    @Test
    void shouldPutAModuleThatADefaultTableDoesNotNameBeforeThoseOfLowerPriority() throws Exception {
        with("known", 30, offer(AlgorithmTable.builder(), "one", ReductionOrder.RANKS).build());
        with("high", 40, offer(AlgorithmTable.builder(), "two", ReductionOrder.RANKS).build());
        with("low", 20, offer(AlgorithmTable.builder(), "three", ReductionOrder.RANKS).build());
        rules = List.of(rule("2..", "..1K", null, null, "known/one"), rule("2..", "1K..", null, null, "basic"));
        run(3, rank -> sum(rank.world(), 1, false));
        isDefaultTable = true;
        run(3, rank -> {
            sum(rank.world(), 1, false);
            assertEquals("two", explain(rank).algorithm());
            assertTrue(explain(rank).others().toString().contains("high has a higher priority and no rule of t names it"),
                () -> explain(rank).others().toString());
        });
        assertEquals(List.of("one 4", "two 4"), planned.stream().distinct().toList());
    }

    /** The parameters of module m in the tests of tuned algorithms. */
    @interface Tuned {
        /** A number. */
        int k() default 2;

        /** Another number. */
        int segment() default 64;
    }

    /** Adds a module m whose algorithms have the parameters k and segment, of which rules may set k for algorithm one, and both for two. */
    private void withTunedModule() {
        modules.add(offered("m", c -> QueryResult.usable(50, c.job(), job -> {
            final Tuned t = job.parameters("coll.m", Tuned.class);
            if (t.k() > 9) {
                throw new IllegalArgumentException("k too large");
            }
            final String values = " k=" + t.k() + " segment=" + t.segment() + " bytes=";
            return AlgorithmTable.builder()
                .intra(Operation.ALLREDUCE, "one", allreduce("one" + values), t.k() == 3 ? ReductionOrder.ANY : ReductionOrder.RANKS,
                    Tunable.ranks("k", 4))
                .intra(Operation.ALLREDUCE, "two", allreduce("two" + values), Tunable.ranks("k", 4), Tunable.bytes("segment")).build();
        })));
    }

    @Test
    void shouldServeCallsWithTheParametersOfTheirRule() throws Exception {
        withTunedModule();
        parameters = Map.of("coll.m.segment", "128");
        rules = List.of(tuned("..8", "m/two:k=5"), tuned("9..16", "m/two:k=6"), tuned("17..32", "m/two"));
        run(3, rank -> {
            for (final int count : new int[] {2, 4, 8, 16}) {
                sum(rank.world(), count, false);
            }
            final Explanation e = explain(rank);
            assertEquals(List.of(new Explanation.Parameter("k", "5", "rule 1 of t"), new Explanation.Parameter("segment", "128", "coll.m.segment")),
                e.parameters());
            assertEquals("two", e.algorithm());
            assertEquals("rule 1 of t: allreduce, bytes ..8: m/two:k=5", e.rule());
            assertEquals(List.of(" ..8 m 1.0.0/two:k=5 rule 1 of t", " 9..16 m 1.0.0/two:k=6 rule 2 of t", " 17..32 m 1.0.0/two rule 3 of t",
                " 33.. m 1.0.0/one null"), choices(e));
            assertEquals(List.of(new Explanation.OfferedParameter(Tunable.ranks("k", 4), null)),
                e.offers().stream().filter(o -> "m/one".equals(o.toString())).findFirst().orElseThrow().parameters());
        });
        assertEquals(List.of("two k=5 segment=128 bytes= 8", "two k=6 segment=128 bytes= 16", "two k=2 segment=128 bytes= 32",
            "one k=2 segment=128 bytes= 64"), planned.stream().distinct().toList());
    }

    private static SelectionRule tuned(final String bytes, final String use) {
        return new SelectionRule("allreduce", List.of(AlgorithmRef.of(use))).with(RuleCondition.BYTES, bytes);
    }

    @Test
    void shouldPreferAParameterOfTheUserToThatOfARuleAndThatOfAPickToBoth() throws Exception {
        withTunedModule();
        parameters = Map.of("coll.m.k", "7");
        rules = List.of(tuned("0..", "m/two:k=5,segment=256"));
        run(2, rank -> {
            sum(rank.world(), 2, false);
            assertEquals(List.of(new Explanation.Parameter("k", "7", "coll.m.k"), new Explanation.Parameter("segment", "256", "rule 1 of t")),
                explain(rank).parameters());
        });
        parameters = Map.of("coll.m.k", "7", "coll.allreduce", "m/two:k=8");
        run(2, rank -> {
            sum(rank.world(), 2, false);
            assertEquals(List.of(new Explanation.Parameter("k", "8", "coll.allreduce")), explain(rank).parameters());
        });
        assertEquals(List.of("two k=7 segment=256 bytes= 8", "two k=8 segment=64 bytes= 8"), planned.stream().distinct().toList());
    }

    @Test
    void shouldDecideByTheReductionOrderThatTheParametersGive() throws Exception {
        withTunedModule();
        rules = List.of(tuned("0..", "m/one:k=3"));
        run(3, rank -> {
            sum(rank.world(), 2, false);
            first(rank.world());
        });
        assertEquals(List.of("one k=3 segment=64 bytes= 8", "one k=2 segment=64 bytes= 4"), planned.stream().distinct().toList());
    }

    @Test
    void shouldNotSelectAnAlgorithmThatCannotHaveTheParameters() throws Exception {
        withTunedModule();
        with("n", 5, offer(AlgorithmTable.builder(), "own", ReductionOrder.RANKS).build());
        rules = List.of(tuned("0..", "m/one:segment=8"), tuned("0..", "m/one:k=10"), tuned("0..", "n/own:k=2"));
        run(2, rank -> {
            sum(rank.world(), 2, false);
            assertEquals(List.of("rule 1 of t cannot select m/one:segment=8: module m has no such parameter for this algorithm: its parameters=[k]",
                "rule 2 of t cannot select m/one:k=10: module m cannot have these parameters: k too large",
                "rule 3 of t cannot select n/own:k=2: module n takes no parameters of rules"), notes(explain(rank)));
        });
        assertEquals(List.of("one k=2 segment=64 bytes= 8"), planned.stream().distinct().toList());
    }

    @Test
    void shouldPlanCallsOfDuplicatesWithTheParametersOfTheRule() throws Exception {
        withTunedModule();
        rules = List.of(tuned("0..", "m/two:k=4"));
        run(3, rank -> {
            final Communicator copy = rank.world().dup();
            sum(copy, 2, false);
            copy.free();
        });
        assertEquals(List.of("two k=4 segment=64 bytes= 8"), planned.stream().distinct().toList());
    }
}
