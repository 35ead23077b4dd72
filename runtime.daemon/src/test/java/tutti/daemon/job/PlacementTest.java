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

    /** Returns the nodes in the order of their names, as candidates for spare ranks. */
    private static List<NodeAddress> candidates(final String... names) {
        return Stream.of(names).map(n -> new NodeAddress(n, "127.0.0.1", 7000)).toList();
    }

    @Test
    void shouldPlaceSpareRanksBehindTheOthersOnTheNodesWithFewestRanks() throws IOException {
        final Placement placement = of(4, Mapping.BLOCK).withSpares(4, candidates("a", "b", "c"));
        assertEquals(List.of("a", "b", "c", "b/1", "c/1", "a/1", "b/2"), names(placement));
        assertEquals(List.of(0, 0, 1, 2, 3, 4, 5, 6), placement.nodeOfRank());
        assertEquals(List.of("b", "c", "a", "b"), placement.nodes().subList(3, 7).stream().map(NodeAddress::node).toList());
        assertEquals(new NodeAddress("b/1", "127.0.0.1", 7000), placement.nodes().get(3));
    }

    @Test
    void shouldPlaceSpareRanksOnNodesWithoutRanksFirst() throws IOException {
        final Placement placement = Placement.of(2, Mapping.SLOT, List.of("c"), NODES).withSpares(3, candidates("a", "b", "c"));
        assertEquals(List.of("c", "a/0", "b/0", "a/1"), names(placement));
        assertEquals(List.of(0, 0, 1, 2, 3), placement.nodeOfRank());
        assertEquals(List.of("c", "c/1", "c/2"), names(Placement.of(2, Mapping.SLOT, List.of("c"), NODES).withSpares(2, candidates("c"))));
    }

    @Test
    void shouldGiveSpareRanksJvmsOfOtherNamesThanThoseInUse() throws IOException {
        final Placement placement = of(5, Mapping.BLOCK).perJvm(1).withSpares(4, candidates("a", "b", "c"));
        assertEquals(List.of("a/0", "a/1", "b/0", "b/1", "c/0", "c/1", "a/2", "b/2", "c/2"), names(placement));
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8), placement.nodeOfRank());
        final Placement two = of(7, Mapping.NODE).perJvm(2).withSpares(3, candidates("a", "b", "c"));
        assertEquals(List.of("a/0", "b/0", "c/0", "a/1", "b/1", "c/1", "a/2"), names(two));
        assertEquals(List.of(0, 1, 2, 0, 1, 2, 3, 4, 5, 6), two.nodeOfRank());
    }

    @Test
    void shouldLeaveAPlacementWithoutSpareRanksAsItIs() throws IOException {
        assertEquals(of(7, Mapping.BLOCK), of(7, Mapping.BLOCK).withSpares(0, candidates("a", "b", "c")));
    }
}
