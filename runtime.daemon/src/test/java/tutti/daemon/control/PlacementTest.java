package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.job.NodeAddress;

class PlacementTest {
    private static final List<NodeInfo> NODES = Stream.of("c", "a", "b").map(n -> new NodeInfo(n, "1", "127.0.0.1", 7000, 1, "25", 2, 0)).toList();

    private static Placement of(final int ranks, final boolean cyclic) {
        return Placement.of(ranks, cyclic, NODES);
    }

    @Test
    void shouldPlaceBlocksThatDifferByAtMostOneInTheOrderOfNames() {
        assertEquals(List.of("a", "b", "c"), of(7, false).nodes().stream().map(NodeAddress::name).toList());
        assertEquals(List.of(0, 0, 0, 1, 1, 2, 2), of(7, false).nodeOfRank());
        assertEquals(List.of(0, 0, 1, 1, 2), of(5, false).nodeOfRank());
    }

    @Test
    void shouldPlaceRanksCyclically() {
        assertEquals(List.of(0, 1, 2, 0, 1, 2, 0), of(7, true).nodeOfRank());
    }

    @Test
    void shouldOmitNodesWithoutRanks() {
        assertEquals(List.of("a", "b"), of(2, false).nodes().stream().map(NodeAddress::name).toList());
        assertEquals(List.of(0, 1), of(2, true).nodeOfRank());
    }

    @Test
    void shouldPlaceARankPerCoreByDefault() {
        assertEquals(List.of(0, 0, 1, 1, 2, 2), of(0, false).nodeOfRank());
    }
}
