package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RankNodesTest {
    @Test
    void shouldNumberNodesInTheOrderOfTheirFirstRanksWithoutAChange() {
        final RankNodes nodes = RankNodes.of(List.of(1, 0, 1, 7));
        assertEquals(RankNodes.of(List.of(0, 1, 0, 2)), nodes.numberedByRank());
        assertEquals("[1, 0, 1, 7]", nodes.toString());
    }

    @Test
    void shouldNotChangeWithTheListThatItWasMadeOf() {
        final List<Integer> list = new ArrayList<>(Arrays.asList(1, 0, 1));
        final RankNodes nodes = RankNodes.of(list);
        list.set(0, 5);
        assertEquals(RankNodes.of(List.of(1, 0, 1)), nodes);
    }

    @Test
    void shouldTellWhichNodesHoldRanksAndHowMany() {
        final RankNodes nodes = RankNodes.of(5, rank -> rank % 2 == 0 ? 9 : 4);
        assertEquals(5, nodes.size());
        assertEquals(9, nodes.nodeOf(4));
        assertEquals(Set.of(4, 9), nodes.distinct());
        assertEquals(List.of(2, 3), nodes.ranksPerNode().stream().sorted().toList());
    }
}
