package tutti.runtime.introspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tutti.runtime.policy.LongRange;

/** Tests the summary of nested collectives. */
class PartSummaryTest {
    private static PlannedPart reduce(final String communicator, final long bytes) {
        return new PlannedPart(0, 3, "reduce", communicator, bytes, "smp 1.0.0", "shared", "priority 70");
    }

    @Test
    void shouldFindTheInnermostPartOfATask() {
        final PlannedPart outer = new PlannedPart(2, 9, "barrier", "W/a.x", 0, "a 1.0.0", "a", "priority 1");
        final PlannedPart inner = new PlannedPart(3, 5, "barrier", "W/a.x/a.x", 0, "a 1.0.0", "a", "priority 1");
        final List<PlannedPart> parts = List.of(outer, inner);
        assertNull(PlannedPart.of(parts, 1));
        assertSame(outer, PlannedPart.of(parts, 2));
        assertSame(inner, PlannedPart.of(parts, 5));
        assertSame(outer, PlannedPart.of(parts, 6));
        assertNull(PlannedPart.of(parts, 10));
    }

    @Test
    void shouldCombineWhatTheSameAlgorithmServesOnOneCommunicator() {
        final SortedMap<Integer, List<PlannedPart>> parts = new TreeMap<>(Map.of(
            0, List.of(reduce("W/smp.node.0", 8), reduce("W/smp.node.0", 16), reduce("W/smp.leaders", 8)),
            1, List.of(reduce("W/smp.node.0", 8), reduce("W/smp.node.0", 4)), 2, List.of(reduce("W/smp.leaders", 8)), 3, List.of()));
        final List<PartSummary> summaries = PartSummary.of(parts);
        assertEquals(List.of(
            new PartSummary("reduce", "W/smp.node.0", List.of(0, 1), 2, new LongRange(4, 16), "smp 1.0.0", "shared", "priority 70"),
            new PartSummary("reduce", "W/smp.leaders", List.of(0, 2), 1, new LongRange(8, 8), "smp 1.0.0", "shared", "priority 70")), summaries);
        assertEquals(List.of("2 × reduce, 4..16 bytes, on W/smp.node.0 (ranks 0-1): smp 1.0.0, algorithm shared (priority 70)",
            "reduce, 8 bytes, on W/smp.leaders (ranks 0, 2): smp 1.0.0, algorithm shared (priority 70)"), PartSummary.lines(summaries));
    }

    @Test
    void shouldNameTheFirstOfManyCommunicators() {
        final SortedMap<Integer, List<PlannedPart>> parts = new TreeMap<>();
        for (int rank = 0; rank < 5; rank++) {
            parts.put(rank, List.of(reduce("W/smp.node." + rank, 0)));
        }
        assertEquals(List.of("reduce, on W/smp.node.0 (rank 0), W/smp.node.1 (rank 1), W/smp.node.2 (rank 2) and 2 more: "
            + "smp 1.0.0, algorithm shared (priority 70)"), PartSummary.lines(PartSummary.of(parts)));
    }

    @Test
    void shouldListConsecutiveRanksAsARange() {
        assertEquals("0-2, 5, 7-8", PartSummary.list(List.of(0, 1, 2, 5, 7, 8)));
    }
}
