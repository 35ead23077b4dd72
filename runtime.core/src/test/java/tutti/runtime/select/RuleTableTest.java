package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CommGroups;
import tutti.coll.tck.SymbolicReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.locality.RankLevels;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.model.NodeLocality.Processor;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.WordSet;

/** Tests rules, one by one and as a table. */
class RuleTableTest {
    private static final List<AlgorithmRef> SMP = List.of(new AlgorithmRef("smp", null));
    /** Nodes of eight ranks: three on one, five on the other. */
    private static final int[] EIGHT = {0, 0, 0, 1, 1, 1, 1, 1};
    private static final SymbolicReduction SUM = new SymbolicReduction(8, true);
    private static final SymbolicReduction ORDERED = new SymbolicReduction(8, false);

    private static final Processor NOWHERE = new Processor(-1, -1, -1, -1, -1);

    private static SelectionRule rule(final Operation<?> operation, final LongRange ranks, final LongRange nodes, final LongRange perNode,
        final LongRange bytes) {
        SelectionRule rule = new SelectionRule(operation == null ? null : operation.id(), SMP);
        rule = ranks == null ? rule : rule.with(RuleCondition.RANKS, ranks);
        rule = nodes == null ? rule : rule.with(RuleCondition.NODES, nodes);
        rule = perNode == null ? rule : rule.with(RuleCondition.RANKS_PER_NODE, perNode);
        return bytes == null ? rule : rule.with(RuleCondition.BYTES, bytes);
    }

    private static SelectionRule flags(final Operation<?> operation, final Boolean commutative, final Boolean inPlace) {
        SelectionRule rule = new SelectionRule(operation == null ? null : operation.id(), List.of(new AlgorithmRef("smp", "direct")));
        rule = commutative == null ? rule : rule.with(RuleCondition.COMMUTATIVE, WordSet.of(commutative));
        return inPlace == null ? rule : rule.with(RuleCondition.IN_PLACE, WordSet.of(inPlace));
    }

    private static boolean applies(final SelectionRule rule, final Operation<?> operation, final LinkSpeed link, final int... nodes) {
        return rule.appliesTo(operation, NodeLayout.of(comm(nodes.length, nodes), link).values());
    }

    private static boolean appliesBetween(final SelectionRule rule, final Operation<?> operation, final int first, final int second) {
        return rule.appliesTo(operation, NodeLayout.of(comm(first, new int[first + second]), LinkSpeed.FAST).values());
    }

    /** Returns a communicator of ranks on these nodes, the first of which are this rank's group. */
    private static CommShape comm(final int group, final int... nodes) {
        final RankLevels levels = new RankLevels(nodes.length, r -> new RankPlace("n" + nodes[r], List.of(), NOWHERE), r -> nodes[r]);
        return new CommShape("c", CollComm.Origin.PART, null, 0, group, levels, levels.level(), RankNodes.of(nodes.length, r -> nodes[r]));
    }

    @Test
    void shouldApplyToCommunicatorsWhoseEveryNodeMeetsTheConditions() {
        assertTrue(applies(rule(null, null, null, null, null), Operation.GATHERV, LinkSpeed.FAST, EIGHT));
        assertTrue(applies(rule(Operation.BCAST, new LongRange(8, 8), new LongRange(2, 2), new LongRange(3, 5), null), Operation.BCAST,
            LinkSpeed.FAST, EIGHT));
        assertFalse(applies(rule(Operation.BCAST, null, null, null, null), Operation.REDUCE, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(rule(null, new LongRange(0, 7), null, null, null), Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(rule(null, null, new LongRange(3, 9), null, null), Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(rule(null, null, null, new LongRange(4, 9), null), Operation.BCAST, LinkSpeed.FAST, EIGHT),
            "a node has three ranks");
        assertFalse(applies(rule(null, null, null, new LongRange(0, 4), null), Operation.BCAST, LinkSpeed.FAST, EIGHT),
            "a node has five ranks");
    }

    @Test
    void shouldNeverApplyToCallsWhosePropertiesDifferBetweenRanks() {
        final SelectionRule small = rule(null, null, null, null, new LongRange(0, 64));
        assertTrue(applies(small, Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(small, Operation.GATHERV, LinkSpeed.FAST, EIGHT));
        assertTrue(applies(flags(null, true, null), Operation.SCAN, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(flags(null, true, null), Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertTrue(applies(flags(null, null, false), Operation.ALLTOALLW, LinkSpeed.FAST, EIGHT));
        assertFalse(applies(flags(null, null, false), Operation.SCAN, LinkSpeed.FAST, EIGHT), "MPI lets ranks differ in it");
    }

    private static boolean matches(final SelectionRule rule, final Call.Allreduce call) {
        final CallProperties properties = CallProperties.of(Operation.ALLREDUCE, call, comm(8, EIGHT), MessageBytes.UNKNOWN);
        return rule.matches(properties.values());
    }

    @Test
    void shouldMatchCallsThatMeetEveryCondition() {
        final SelectionRule rule = flags(Operation.ALLREDUCE, true, false).with(RuleCondition.BYTES, "16..64");
        assertTrue(rule.dependsOnCall());
        assertTrue(matches(rule, new Call.Allreduce(SUM, 2, false)));
        assertTrue(matches(rule, new Call.Allreduce(SUM, 8, false)));
        assertFalse(matches(rule, new Call.Allreduce(SUM, 1, false)));
        assertFalse(matches(rule, new Call.Allreduce(SUM, 9, false)));
        assertFalse(matches(rule, new Call.Allreduce(ORDERED, 2, false)));
        assertFalse(matches(rule, new Call.Allreduce(SUM, 2, true)));
        assertFalse(rule(null, new LongRange(2, 8), null, null, null).dependsOnCall());
    }

    @Test
    void shouldRefuseConditionsThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> flags(Operation.BCAST, true, null));
        assertThrows(IllegalArgumentException.class, () -> flags(Operation.REDUCE, null, true));
        assertEquals("bytes: gatherv has a length that not every rank knows; allowed with allgather, allgatherv, allreduce, alltoall, barrier, "
            + "bcast, exscan, gather, reduce, reduce_scatter, reduce_scatter_block, scan, scatter", refusal("gatherv", RuleCondition.BYTES, "..8"));
        assertEquals("block: scan has no blocks; allowed with allgather, allgatherv, alltoall, alltoallv, alltoallw, gather, gatherv, "
            + "neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw, reduce_scatter, "
            + "reduce_scatter_block, scatter, scatterv", refusal("scan", RuleCondition.BLOCK, "..8"));
        assertEquals("regular: alltoallv has no blocks that may differ and that every rank knows; allowed with allgatherv, reduce_scatter",
            refusal("alltoallv", RuleCondition.REGULAR, "true"));
        assertEquals("predefined: bcast is not a reduction; allowed with allreduce, exscan, reduce, reduce_scatter, reduce_scatter_block, scan",
            refusal("bcast", RuleCondition.PREDEFINED, "true"));
        for (final RuleCondition flag : List.of(RuleCondition.REGULAR, RuleCondition.IN_PLACE)) {
            assertEquals(flag.field() + ": not defined on intercommunicators; allowed without groups", assertThrows(IllegalArgumentException.class,
                () -> between(null, LongRange.ALL, null).with(flag, "false")).getMessage());
        }
        assertEquals("regular, commutative, inPlace: no operation has all these conditions; allowed: conditions that one operation has",
            assertThrows(IllegalArgumentException.class,
                () -> flags(null, true, true).with(RuleCondition.REGULAR, "true")).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new SelectionRule("gossip", SMP));
        assertThrows(IllegalArgumentException.class, () -> new SelectionRule("bcast", List.of()));
    }

    private static String refusal(final String operation, final RuleCondition condition, final String values) {
        final SelectionRule rule = new SelectionRule(operation, SMP);
        return assertThrows(IllegalArgumentException.class, () -> rule.with(condition, values)).getMessage();
    }

    @Test
    void shouldApplyByPowersOfTwoAndLevels() {
        final SelectionRule power = new SelectionRule(null, SMP).with(RuleCondition.POWER_OF_TWO, "true");
        assertTrue(applies(power, Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertTrue(applies(power, Operation.BCAST, LinkSpeed.FAST, 0));
        assertFalse(applies(power, Operation.BCAST, LinkSpeed.FAST, 0, 0, 0));
        assertTrue(applies(new SelectionRule(null, SMP).with(RuleCondition.POWER_OF_TWO, "false"), Operation.BCAST, LinkSpeed.FAST, 0, 0, 0));
        final SelectionRule groups = power.with(RuleCondition.GROUPS, LongRange.ALL);
        assertTrue(appliesBetween(groups, Operation.BCAST, 4, 2));
        assertFalse(appliesBetween(groups, Operation.BCAST, 3, 5), "both groups must be powers of two, not the sum");
        final SelectionRule near = new SelectionRule(null, SMP).with(RuleCondition.LEVEL, "socket or jvm");
        assertTrue(applies(near, Operation.BCAST, LinkSpeed.FAST, 0, 0));
        assertFalse(applies(near, Operation.BCAST, LinkSpeed.FAST, 0, 1));
        assertEquals("any operation, level jvm or socket: smp", near.toString());
        assertEquals("any operation, power of two: smp", power.toString());
        assertEquals(1, new RuleTable("t", List.of(near, near.with(RuleCondition.LEVEL, "jvm"))).warnings().size());
        assertEquals(0, new RuleTable("t", List.of(near, near.with(RuleCondition.LEVEL, "jvm or host"))).warnings().size());
    }

    @Test
    void shouldMatchByTheBlocksOfTheCall() {
        final Call.Allgather regular = new Call.Allgather(8, Blocks.of(new long[] {8, 8}, new long[] {20, 0}), false);
        final Call.Allgather other = new Call.Allgather(9, Blocks.packed(9, 8), false);
        final SelectionRule same = new SelectionRule("allgatherv", SMP).with(RuleCondition.REGULAR, "true");
        assertTrue(matches(same, Operation.ALLGATHERV, regular));
        assertFalse(matches(same, Operation.ALLGATHERV, other));
        assertTrue(matches(new SelectionRule(null, SMP).with(RuleCondition.REGULAR, "false"), Operation.ALLGATHERV, other));
        final SelectionRule eight = new SelectionRule(null, SMP).with(RuleCondition.BLOCK, "8");
        assertTrue(matches(eight, Operation.ALLGATHERV, other), "rounded down");
        assertTrue(matches(eight, Operation.GATHER, new Call.Gather(8, Blocks.uniform(2, 8), 0, false)));
        assertFalse(matches(eight, Operation.ALLTOALL, new Call.Alltoall(Blocks.uniform(2, 16), Blocks.uniform(2, 16), false)));
        assertTrue(applies(eight, Operation.ALLTOALLV, LinkSpeed.FAST, 0, 0));
        assertFalse(matches(eight, Operation.ALLTOALLV, new Call.Alltoall(Blocks.uniform(2, 8), Blocks.uniform(2, 8), false)), "ranks may differ");
        assertEquals("any operation, block 8: smp", eight.toString());
        final Call.Alltoall known = new Call.Alltoall(Blocks.uniform(2, 16), Blocks.uniform(2, 16), false);
        assertTrue(eight.matches(CallProperties.of(Operation.ALLTOALLV, known, comm(2, 0, 0), 8).values()), "a hint says so");
        assertFalse(eight.matches(CallProperties.of(Operation.ALLTOALL, known, comm(2, 0, 0), 8).values()), "every rank knows it");
        assertFalse(eight.matches(CallProperties.of(Operation.BARRIER, new Call.Barrier(), comm(2, 0, 0), 8).values()), "no blocks");
    }

    private static boolean matches(final SelectionRule rule, final Operation<?> operation, final Call call) {
        return rule.matches(CallProperties.of(operation, call, comm(2, 0, 0), MessageBytes.UNKNOWN).values());
    }

    @Test
    void shouldComputeTheAverageBlock() {
        assertEquals(13, MessageBytes.block(Operation.REDUCE_SCATTER, 40, false, 3));
        assertEquals(16, MessageBytes.block(Operation.REDUCE_SCATTER, 40, true, 5), "80 bytes of both groups, 5 blocks");
        assertEquals(8, MessageBytes.block(Operation.ALLGATHER, 40, true, 5));
        assertEquals(MessageBytes.UNKNOWN, MessageBytes.block(Operation.ALLTOALLV, MessageBytes.UNKNOWN, false, 3));
        assertEquals(MessageBytes.UNKNOWN, MessageBytes.block(Operation.BCAST, 40, false, 3));
    }

    @Test
    void shouldTellPredefinedReductionsFromThoseOfTheProgram() {
        final SelectionRule predefined = new SelectionRule(null, SMP).with(RuleCondition.PREDEFINED, "true");
        assertTrue(matches(predefined, new Call.Allreduce(SUM, 2, false)));
        assertFalse(matches(predefined, new Call.Allreduce(ORDERED, 2, false)));
        assertTrue(matches(predefined, new Call.Allreduce(Op.SUM.bind(Datatype.INT), 2, false)));
        assertFalse(matches(predefined, new Call.Allreduce(Op.user("mine", true, (in, inout, type, count) -> {}).bind(Datatype.INT), 2, false)));
        assertFalse(applies(predefined, Operation.GATHER, LinkSpeed.FAST, 0, 0));
        assertEquals("any operation, not predefined: smp", new SelectionRule(null, SMP).with(RuleCondition.PREDEFINED, "false").toString());
    }

    @Test
    void shouldReportRulesThatNeverMatchAndNameTheOneBefore() {
        final SelectionRule wide = rule(Operation.BCAST, new LongRange(2, 9), null, null, null);
        final SelectionRule narrow = rule(Operation.BCAST, new LongRange(3, 4), new LongRange(1, 1), null, new LongRange(0, 8));
        final SelectionRule other = rule(Operation.REDUCE, new LongRange(3, 4), null, null, null);
        final SelectionRule each = rule(null, new LongRange(2, 2), null, null, null);
        assertEquals(List.of("rule 3 of t never matches while rule 1 can serve, which covers it (bcast, ranks 3..4, nodes 1, bytes ..8: smp; "
            + "rule 1: bcast, ranks 2..9: smp)"),
            new RuleTable("t", List.of(wide, other, narrow, each)).warnings());
        assertEquals(List.of(), new RuleTable("t", List.of(narrow, wide, flags(Operation.ALLREDUCE, true, null),
            flags(Operation.ALLREDUCE, false, null),
            flags(Operation.ALLREDUCE, null, null))).warnings());
        assertEquals(1, new RuleTable("t", List.of(flags(Operation.ALLREDUCE, null, true), flags(Operation.ALLREDUCE, false, true))).warnings()
            .size());
    }

    @Test
    void shouldComputeTheDocumentedBytes() {
        final int p = 3;
        final Map<String, Long> bytes = new HashMap<>();
        bytes.put("bcast", MessageBytes.of(Operation.BCAST, new Call.Bcast(40, 1)));
        bytes.put("reduce", MessageBytes.of(Operation.REDUCE, new Call.Reduce(SUM, 5, 1, false)));
        bytes.put("allreduce", MessageBytes.of(Operation.ALLREDUCE, new Call.Allreduce(SUM, 5, true)));
        bytes.put("exscan", MessageBytes.of(Operation.EXSCAN, new Call.Scan(SUM, 5, false)));
        bytes.put("reduce_scatter", MessageBytes.of(Operation.REDUCE_SCATTER, new Call.ReduceScatter(SUM, Blocks.packed(8, 0, 32), false)));
        bytes.put("gather", MessageBytes.of(Operation.GATHER, new Call.Gather(16, Blocks.uniform(p, 16), 0, false)));
        bytes.put("scatter", MessageBytes.of(Operation.SCATTER, new Call.Scatter(Blocks.uniform(p, 16), 16, 0, false)));
        bytes.put("allgather", MessageBytes.of(Operation.ALLGATHER, new Call.Allgather(16, Blocks.uniform(p, 16), false)));
        bytes.put("allgatherv", MessageBytes.of(Operation.ALLGATHERV,
            new Call.Allgather(16, Blocks.of(new long[] {16, 1, 31}, new long[] {100, 50, 0}), false)));
        bytes.put("alltoall", MessageBytes.of(Operation.ALLTOALL, new Call.Alltoall(Blocks.uniform(p, 16), Blocks.uniform(p, 16), false)));
        bytes.put("barrier", MessageBytes.of(Operation.BARRIER, new Call.Barrier()));
        bytes.put("gatherv", MessageBytes.of(Operation.GATHERV, new Call.Gather(16, null, 0, false)));
        assertEquals(Map.ofEntries(Map.entry("bcast", 40L), Map.entry("reduce", 40L), Map.entry("allreduce", 40L), Map.entry("exscan", 40L),
            Map.entry("reduce_scatter", 40L), Map.entry("gather", 48L), Map.entry("scatter", 48L), Map.entry("allgather", 48L),
            Map.entry("allgatherv", 48L), Map.entry("alltoall", 48L), Map.entry("barrier", 0L), Map.entry("gatherv", -1L)), bytes);
    }

    /** The properties that decide must be equal on all ranks, or the plans of the ranks would not match. */
    @Test
    void shouldHaveEqualPropertiesOnEveryRank() {
        for (final Operation<?> o : Operation.values()) {
            for (int size = 1; size <= 5; size++) {
                assertAlike(o, size);
            }
        }
    }

    private static <C extends Call> void assertAlike(final Operation<C> o, final int size) {
        for (final List<C> calls : CallCases.of(o, size, CallCases.counts(size), CallCases.allRoots(size))) {
            final List<CallProperties> different = IntStream.range(0, size)
                .mapToObj(r -> CallProperties.of(o, calls.get(r), comm(size, new int[size]), MessageBytes.UNKNOWN)).distinct().toList();
            assertEquals(1, different.size(), () -> o + " " + calls);
            assertEquals(MessageBytes.known(o), different.getFirst().values().containsKey(RuleCondition.BYTES), o::id);
        }
    }

    @Test
    void shouldHaveEqualPropertiesOnEveryRankOfAnIntercommunicatorThatTakesPart() {
        for (final Operation<?> o : Operation.values()) {
            for (int first = 1; o.onIntercommunicators() && first <= 4; first++) {
                for (int second = 1; second <= 4; second++) {
                    assertAlikeBetween(o, first, second);
                }
            }
        }
    }

    private static <C extends Call> void assertAlikeBetween(final Operation<C> o, final int first, final int second) {
        for (final List<C> calls : CallCases.between(o, CommGroups.of(first, second, new BasicModule()), List.of(0, 5))) {
            final List<CallProperties> different = IntStream.range(0, first + second).filter(r -> !calls.get(r).isUninvolved())
                .mapToObj(r -> CallProperties.of(o, calls.get(r), comm(r < first ? first : second, new int[first + second]),
                    MessageBytes.UNKNOWN))
                .distinct().toList();
            assertEquals(1, different.size(), () -> o + " " + calls + ": " + different);
            assertEquals(MessageBytes.known(o, true), different.getFirst().values().containsKey(RuleCondition.BYTES), o::id);
        }
    }

    @Test
    void shouldComputeTheDocumentedBytesOnIntercommunicators() {
        // a rank of the local group receives 2 blocks of 16 bytes, one of the remote group 3 blocks of 8 bytes
        assertEquals(56, MessageBytes.between(Operation.ALLGATHER, new Call.Allgather(8, Blocks.uniform(2, 16), false), 3));
        assertEquals(56, MessageBytes.between(Operation.ALLTOALL, new Call.Alltoall(Blocks.uniform(2, 8), Blocks.uniform(2, 16), false), 3));
        assertEquals(48, MessageBytes.between(Operation.GATHER, new Call.Gather(0, Blocks.uniform(3, 16), Call.ROOT, false), 2));
        assertEquals(40, MessageBytes.between(Operation.REDUCE, new Call.Reduce(SUM, 5, 1, false), 2));
        assertEquals(MessageBytes.UNKNOWN, MessageBytes.between(Operation.BCAST, new Call.Bcast(0, Call.PROC_NULL), 2));
        assertEquals(MessageBytes.UNKNOWN, MessageBytes.between(Operation.ALLGATHERV, new Call.Allgather(8, Blocks.uniform(2, 16), false), 3));
    }

    @Test
    void shouldApplyToLinksOfItsClass() {
        final SelectionRule slow = linked(LinkSpeed.SLOW);
        assertTrue(applies(slow, Operation.BCAST, LinkSpeed.SLOW, EIGHT));
        assertFalse(applies(slow, Operation.BCAST, LinkSpeed.FAST, EIGHT));
        assertTrue(applies(linked(null), Operation.BCAST, LinkSpeed.SLOW, EIGHT));
        assertEquals("bcast, link slow: smp", slow.toString());
        assertEquals(List.of(), new RuleTable("t", List.of(slow, linked(LinkSpeed.FAST), linked(null))).warnings());
        assertEquals(1, new RuleTable("t", List.of(linked(null), slow)).warnings().size());
    }

    private static SelectionRule linked(final LinkSpeed link) {
        final SelectionRule rule = new SelectionRule("bcast", SMP);
        return link == null ? rule : rule.with(RuleCondition.LINK, WordSet.of(link));
    }

    @Test
    void shouldApplyToIntercommunicatorsWhereItNamesTheirGroups() {
        final SelectionRule both = between(Operation.BCAST, new LongRange(2, 4), null);
        assertTrue(appliesBetween(both, Operation.BCAST, 4, 2));
        assertFalse(appliesBetween(both, Operation.BCAST, 1, 4), "both groups must be in the range");
        assertFalse(applies(both, Operation.BCAST, LinkSpeed.FAST, EIGHT), "not on intracommunicators");
        assertFalse(appliesBetween(rule(Operation.BCAST, null, null, null, null), Operation.BCAST, 2, 4));
        final SelectionRule sized = between(null, LongRange.ALL, new LongRange(0, 8));
        assertTrue(appliesBetween(sized, Operation.ALLGATHER, 1, 1));
        assertFalse(appliesBetween(sized, Operation.ALLGATHERV, 1, 1),
            "a group does not know its own lengths");
        assertEquals("bcast, groups 2..4: smp", both.toString());
        assertEquals(List.of(), new RuleTable("t", List.of(rule(Operation.BCAST, null, null, null, null), both)).warnings());
        assertEquals(1, new RuleTable("t", List.of(both, between(Operation.BCAST, new LongRange(3, 3), null))).warnings().size());
        assertEquals("groups: scan is not defined on intercommunicators; allowed with allgather, allgatherv, allreduce, alltoall, alltoallv, "
            + "alltoallw, barrier, bcast, gather, gatherv, reduce, reduce_scatter, reduce_scatter_block, scatter, scatterv",
            assertThrows(IllegalArgumentException.class, () -> between(Operation.SCAN, LongRange.ALL, null)).getMessage());
    }

    private static SelectionRule between(final Operation<?> operation, final LongRange groups, final LongRange bytes) {
        return rule(operation, null, null, null, bytes).with(RuleCondition.GROUPS, groups);
    }
}
