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
import tutti.coll.Operation;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CommGroups;
import tutti.coll.tck.SymbolicReduction;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests rules, one by one and as a table. */
class RuleTableTest {
    private static final List<AlgorithmRef> SMP = List.of(new AlgorithmRef("smp", null));
    private static final LongRange PER_NODE = new LongRange(3, 5);
    private static final SymbolicReduction SUM = new SymbolicReduction(8, true);
    private static final SymbolicReduction ORDERED = new SymbolicReduction(8, false);

    private static SelectionRule rule(final Operation<?> operation, final LongRange ranks, final LongRange nodes, final LongRange perNode,
        final LongRange bytes) {
        return new SelectionRule(operation == null ? null : operation.id(), ranks, nodes, perNode, bytes, null, null, SMP);
    }

    private static SelectionRule flags(final Operation<?> operation, final Boolean commutative, final Boolean inPlace) {
        return new SelectionRule(operation == null ? null : operation.id(), null, null, null, null, commutative, inPlace,
            List.of(new AlgorithmRef("smp", "direct")));
    }

    @Test
    void shouldApplyToCommunicatorsWhoseEveryNodeMeetsTheConditions() {
        assertTrue(rule(null, null, null, null, null).appliesTo(Operation.GATHERV, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertTrue(
            rule(Operation.BCAST, new LongRange(8, 8), new LongRange(2, 2), new LongRange(3, 5), null).appliesTo(Operation.BCAST, 8, null, 2,
                PER_NODE, LinkSpeed.FAST));
        assertFalse(rule(Operation.BCAST, null, null, null, null).appliesTo(Operation.REDUCE, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(rule(null, new LongRange(0, 7), null, null, null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(rule(null, null, new LongRange(3, 9), null, null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(rule(null, null, null, new LongRange(4, 9), null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST),
            "a node has three ranks");
        assertFalse(rule(null, null, null, new LongRange(0, 4), null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST),
            "a node has five ranks");
    }

    @Test
    void shouldNeverApplyToCallsWhosePropertiesDifferBetweenRanks() {
        final SelectionRule small = rule(null, null, null, null, new LongRange(0, 64));
        assertTrue(small.appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(small.appliesTo(Operation.GATHERV, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertTrue(flags(null, true, null).appliesTo(Operation.SCAN, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(flags(null, true, null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertTrue(flags(null, null, false).appliesTo(Operation.ALLTOALLW, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(flags(null, null, false).appliesTo(Operation.SCAN, 8, null, 2, PER_NODE, LinkSpeed.FAST), "MPI lets ranks differ in it");
    }

    private static boolean matches(final SelectionRule rule, final Call.Allreduce call) {
        final CallProperties properties = CallProperties.of(Operation.ALLREDUCE, call, 0);
        return rule.matches(properties.bytes(), properties.reduction(), properties.inPlace());
    }

    @Test
    void shouldMatchCallsThatMeetEveryCondition() {
        final SelectionRule rule = new SelectionRule("allreduce", null, null, null, new LongRange(16, 64), true, false, SMP);
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
        assertThrows(IllegalArgumentException.class, () -> new SelectionRule("gossip", null, null, null, null, null, null, SMP));
        assertThrows(IllegalArgumentException.class, () -> new SelectionRule("bcast", null, null, null, null, null, null, List.of()));
    }

    @Test
    void shouldReportRulesThatNeverMatchAndNameTheOneBefore() {
        final SelectionRule wide = rule(Operation.BCAST, new LongRange(2, 9), null, null, null);
        final SelectionRule narrow = rule(Operation.BCAST, new LongRange(3, 4), new LongRange(1, 1), null, new LongRange(0, 8));
        final SelectionRule other = rule(Operation.REDUCE, new LongRange(3, 4), null, null, null);
        final SelectionRule never = rule(Operation.GATHERV, null, null, null, new LongRange(0, 8));
        final SelectionRule each = rule(null, new LongRange(2, 2), null, null, null);
        assertEquals(List.of("rule 3 of t never matches while rule 1 can serve, which covers it (bcast, ranks 3..4, nodes 1, bytes ..8: smp; "
            + "rule 1: bcast, ranks 2..9: smp)", "rule 4 of t never matches: not every rank knows the bytes of gatherv"),
            new RuleTable("t", List.of(wide, other, narrow, never, each)).warnings());
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
            final long different = IntStream.range(0, size).mapToObj(r -> CallProperties.of(o, calls.get(r), 0)).distinct().count();
            assertEquals(1, different, () -> o + " " + calls);
            assertEquals(MessageBytes.known(o), CallProperties.of(o, calls.getFirst(), 0).bytes() >= 0, o::id);
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
                .mapToObj(r -> CallProperties.of(o, calls.get(r), r < first ? first : second)).distinct().toList();
            assertEquals(1, different.size(), () -> o + " " + calls + ": " + different);
            assertEquals(MessageBytes.known(o, true), different.getFirst().bytes() >= 0, o::id);
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
        assertTrue(slow.appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.SLOW));
        assertFalse(slow.appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.FAST));
        assertTrue(linked(null).appliesTo(Operation.BCAST, 8, null, 2, PER_NODE, LinkSpeed.SLOW));
        assertEquals("bcast, link slow: smp", slow.toString());
        assertEquals(List.of(), new RuleTable("t", List.of(slow, linked(LinkSpeed.FAST), linked(null))).warnings());
        assertEquals(1, new RuleTable("t", List.of(linked(null), slow)).warnings().size());
    }

    private static SelectionRule linked(final LinkSpeed link) {
        return new SelectionRule("bcast", null, null, null, null, link, null, null, null, SMP);
    }

    @Test
    void shouldApplyToIntercommunicatorsWhereItNamesTheirGroups() {
        final SelectionRule both = between(Operation.BCAST, new LongRange(2, 4), null);
        assertTrue(both.appliesTo(Operation.BCAST, 6, new LongRange(2, 4), 2, PER_NODE, LinkSpeed.FAST));
        assertFalse(both.appliesTo(Operation.BCAST, 6, new LongRange(1, 4), 2, PER_NODE, LinkSpeed.FAST), "both groups must be in the range");
        assertFalse(both.appliesTo(Operation.BCAST, 6, null, 2, PER_NODE, LinkSpeed.FAST), "not on intracommunicators");
        assertFalse(rule(Operation.BCAST, null, null, null, null).appliesTo(Operation.BCAST, 6, new LongRange(2, 4), 2, PER_NODE, LinkSpeed.FAST));
        final SelectionRule sized = between(null, LongRange.ALL, new LongRange(0, 8));
        assertTrue(sized.appliesTo(Operation.ALLGATHER, 2, new LongRange(1, 1), 1, PER_NODE, LinkSpeed.FAST));
        assertFalse(sized.appliesTo(Operation.ALLGATHERV, 2, new LongRange(1, 1), 1, PER_NODE, LinkSpeed.FAST),
            "a group does not know its own lengths");
        assertEquals("bcast, groups 2..4: smp", both.toString());
        assertEquals(List.of(), new RuleTable("t", List.of(rule(Operation.BCAST, null, null, null, null), both)).warnings());
        assertEquals(1, new RuleTable("t", List.of(both, between(Operation.BCAST, new LongRange(3, 3), null))).warnings().size());
        assertEquals(1, new RuleTable("t", List.of(between(Operation.ALLGATHERV, LongRange.ALL, new LongRange(0, 8)))).warnings().size());
        assertEquals("groups: scan is not defined on intercommunicators; allowed with all operations but scan, exscan and those of neighbours",
            assertThrows(IllegalArgumentException.class, () -> between(Operation.SCAN, LongRange.ALL, null)).getMessage());
    }

    private static SelectionRule between(final Operation<?> operation, final LongRange groups, final LongRange bytes) {
        return new SelectionRule(operation == null ? null : operation.id(), null, groups, null, null, null, bytes, null, null, SMP);
    }
}
