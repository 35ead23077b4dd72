package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tutti.daemon.launch.RunRequest.Mapping;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.job.NodeAddress;

class PlacementTest {
    private static final List<NodeInfo> NODES = Stream.of("c", "a", "b").map(n -> node(n, 2)).toList();
    /** With 4, 1 and 2 slots. */
    private static final List<NodeInfo> UNEQUAL = List.of(node("x", 4), node("y", 1), node("z", 2));

    private static NodeInfo node(final String name, final int cores) {
        return new NodeInfo(name, "1", "127.0.0.1", 7000, 1, "25", cores, 0);
    }

    private static Placement of(final int ranks, final Mapping mapping) throws IOException {
        return Placement.of(ranks, mapping, List.of(), NODES);
    }

    private static List<Integer> unequal(final int ranks, final Mapping mapping) throws IOException {
        return Placement.of(ranks, mapping, List.of(), UNEQUAL).nodeOfRank();
    }

    private static List<String> names(final Placement placement) {
        return placement.nodes().stream().map(NodeAddress::name).toList();
    }

    @Test
    void shouldPlaceBlocksThatDifferByAtMostOneInTheOrderOfNames() throws IOException {
        assertEquals(List.of("a", "b", "c"), names(of(7, Mapping.BLOCK)));
        assertEquals(List.of(0, 0, 0, 1, 1, 2, 2), of(7, Mapping.BLOCK).nodeOfRank());
        assertEquals(List.of(0, 0, 1, 1, 2), of(5, Mapping.BLOCK).nodeOfRank());
    }

    @Test
    void shouldDealRanksOutInTurnAndLeaveOutNodesWhoseSlotsAreFull() throws IOException {
        assertEquals(List.of(0, 1, 2, 0, 1, 2, 0), of(7, Mapping.NODE).nodeOfRank());
        assertEquals(List.of(0, 1, 2, 0, 2, 0, 0), unequal(7, Mapping.NODE));
        assertEquals(List.of(0, 1, 2, 0, 2, 0, 0, 1, 2, 0), unequal(10, Mapping.NODE));
    }

    @Test
    void shouldFillTheSlotsOfANodeBeforeThoseOfTheNext() throws IOException {
        assertEquals(List.of(0, 0, 0), unequal(3, Mapping.SLOT));
        assertEquals(List.of(0, 0, 0, 0, 1, 2, 2), unequal(7, Mapping.SLOT));
        assertEquals(List.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2), unequal(12, Mapping.SLOT));
    }

    @Test
    void shouldGiveTheRanksOfEachNodeSeveralJvmsInTheirOrder() throws IOException {
        final Placement dealt = of(7, Mapping.NODE);
        assertEquals(dealt, dealt.perJvm(0));
        assertEquals(List.of("a/0", "b/0", "c/0", "a/1"), names(dealt.perJvm(2)));
        assertEquals(List.of(0, 1, 2, 0, 1, 2, 3), dealt.perJvm(2).nodeOfRank());
        assertEquals(List.of("a/0", "b/0", "c/0", "a/1", "b/1", "c/1", "a/2"), names(dealt.perJvm(1)));
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6), dealt.perJvm(1).nodeOfRank());
        assertEquals(List.of("a/0", "b/0", "c/0"), names(dealt.perJvm(9)));
        assertEquals(List.of("a", "a"), of(2, Mapping.SLOT).perJvm(1).nodes().stream().map(NodeAddress::node).toList());
    }

    @Test
    void shouldUseTheGivenNodesInTheGivenOrder() throws IOException {
        final Placement placement = Placement.of(3, Mapping.SLOT, List.of("c", "a"), NODES);
        assertEquals(List.of("c", "a"), names(placement));
        assertEquals(List.of(0, 0, 1), placement.nodeOfRank());
        assertEquals("no such node in the cluster: node=d, nodes=[a, b, c]",
            assertThrows(IOException.class, () -> Placement.of(3, Mapping.SLOT, List.of("a", "d"), NODES)).getMessage());
    }

    @Test
    void shouldOmitNodesWithoutRanks() throws IOException {
        assertEquals(List.of("a", "b"), names(of(2, Mapping.BLOCK)));
        assertEquals(List.of(0, 1), of(2, Mapping.NODE).nodeOfRank());
        assertEquals(List.of("a"), names(of(2, Mapping.SLOT)));
    }

    @Test
    void shouldPlaceARankPerSlotByDefault() throws IOException {
        assertEquals(List.of(0, 0, 1, 1, 2, 2), of(0, Mapping.BLOCK).nodeOfRank());
        assertEquals(List.of(0, 0, 0, 0, 1, 2, 2), unequal(0, Mapping.SLOT));
    }
}
