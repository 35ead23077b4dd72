package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodePairsTest {
    private final NodeGroups nodes = new NodeGroups(List.of(List.of(0, 1), List.of(2, 3), List.of(4, 5), List.of(6)), List.of(0, 0, 1, 1, 2, 2, 3));
    private final NodePairs pairs = new NodePairs(nodes, 10);

    @Test
    void shouldDealOutTheOtherNodesInTurn() {
        assertEquals(List.of(List.of(1, 3), List.of(2), List.of(2, 0), List.of(3), List.of(3, 1), List.of(0), List.of(0, 1, 2)),
            List.of(0, 1, 2, 3, 4, 5, 6).stream().map(pairs::peerNodes).toList());
    }

    @Test
    void shouldHaveOneAgentForEachOtherNodeWhoKnowsItsTurn() {
        for (int node = 0; node < nodes.count(); node++) {
            for (int other = 0; other < nodes.count(); other++) {
                if (node != other) {
                    final int agent = pairs.agent(node, other);
                    assertEquals(node, nodes.nodeOf().get(agent));
                    assertEquals(other, pairs.peerNodes(agent).get(pairs.turnOf(agent, other)));
                }
            }
        }
    }

    @Test
    void shouldPlaceMessagesContiguously() {
        assertEquals(40, pairs.bytes(0, 1));
        assertEquals(20, pairs.bytes(3, 0));
        assertEquals(List.of(0L, 20L, 40L, 60L),
            List.of(pairs.bytesBefore(6, 0), pairs.bytesBefore(6, 1), pairs.bytesBefore(6, 2), pairs.bytesBefore(6, 3)));
        assertEquals(List.of(0L, 40L, 60L), List.of(pairs.bytesBefore(0, 0), pairs.bytesBefore(0, 1), pairs.bytesBefore(0, 2)));
    }
}
