package tutti.runtime.checkpoint.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.checkpoint.store.MemoryOption;

/** Tests which ranks keep checks for each other. */
@Timeout(60)
class BuddyGroupsTest {
    private static BuddyGroups of(final int data, final int checks, final int... nodes) {
        return BuddyGroups.of(new MemoryOption(data, checks, 1), nodes);
    }

    private static List<List<Integer>> ranks(final BuddyGroups groups) {
        return groups.groups().stream().map(BuddyGroups.Group::ranks).toList();
    }

    @Test
    void shouldPutRanksOfANodeIntoDifferentGroups() {
        assertEquals(List.of(List.of(0, 4), List.of(1, 5), List.of(2, 6), List.of(3, 7)), ranks(of(1, 1, 0, 0, 1, 1, 2, 2, 3, 3)));
        assertEquals(List.of(List.of(0, 1, 2, 6), List.of(3, 4, 5)), ranks(of(2, 1, 0, 1, 2, 0, 1, 2, 3)));
        for (int nodes = 2; nodes <= 9; nodes++) {
            for (int ranks = nodes; ranks <= 30; ranks++) {
                final int of = nodes;
                final int[] placed = IntStream.range(0, ranks).map(r -> r % of).toArray();
                assertEquals(List.of(), of(1, 1, placed).nodesAtRisk(placed), "ranks=" + ranks + ", nodes=" + nodes);
            }
        }
    }

    @Test
    void shouldMakeGroupsOfAtLeastAsManyRanksAsDataAndChecks() {
        for (int ranks = 4; ranks < 40; ranks++) {
            final List<List<Integer>> groups = ranks(of(3, 1, IntStream.range(0, ranks).toArray()));
            assertTrue(groups.stream().allMatch(g -> g.size() >= 4 && g.size() < 8), groups::toString);
            assertEquals(ranks, groups.stream().flatMap(List::stream).distinct().count());
        }
    }

    @Test
    void shouldKeepAsManyChecksAsRanksOfTheNodesThatMayFail() {
        assertEquals(List.of(new BuddyGroups.Group(List.of(0, 1, 2), 2)), of(1, 1, 0, 0, 1).groups());
        assertEquals(List.of(new BuddyGroups.Group(List.of(0, 3, 1, 4, 2), 4)), of(2, 2, 0, 1, 2, 0, 1).groups());
        assertEquals(List.of(new BuddyGroups.Group(List.of(0, 1, 2, 3), 1)), of(3, 1, 0, 0, 0, 0).groups());
        assertEquals(List.of(new BuddyGroups.Group(List.of(0), 0)), of(3, 1, 0).groups());
    }

    @Test
    void shouldNameNodesWhoseLossWouldLoseStates() {
        final int[] nodes = {0, 0, 0, 0, 0, 1};
        assertEquals(List.of(0), of(1, 1, nodes).nodesAtRisk(nodes));
        final int[] one = {0};
        assertEquals(List.of(0), of(1, 1, one).nodesAtRisk(one));
    }

    @Test
    void shouldSurviveAsManyLossesPerGroupAsThereAreChecks() {
        final BuddyGroups groups = of(2, 2, 0, 1, 2, 3, 4, 5, 6, 7);
        assertEquals(List.of(List.of(0, 2, 4, 6), List.of(1, 3, 5, 7)), ranks(groups));
        final boolean[] missing = new boolean[8];
        missing[0] = true;
        missing[4] = true;
        missing[3] = true;
        missing[7] = true;
        assertTrue(groups.survives(missing));
        missing[6] = true;
        assertFalse(groups.survives(missing));
    }

    @Test
    void shouldFollowFromTheirNumbers() {
        for (final BuddyGroups groups : List.of(of(1, 1, 0, 0, 1, 1, 2), of(3, 2, IntStream.range(0, 23).map(r -> r % 5).toArray()), of(1, 2, 0))) {
            assertEquals(groups, BuddyGroups.ofNumbers(groups.numbers()));
        }
    }
}
