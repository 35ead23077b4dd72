package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class FanInTreeTest {
    @Test
    void shouldCombineGroupsAtTheirLastRank() {
        final FanInTree tree = new FanInTree(11, 4);
        assertEquals(2, tree.height());
        assertEquals(10, tree.top());
        assertEquals(List.of(0, 1, 2, 3), tree.values(3, 1));
        assertEquals(List.of(8, 9, 10), tree.values(10, 1));
        assertEquals(List.of(3, 7, 10), tree.values(10, 2));
        assertEquals(List.of(8, 9, 3, 7), tree.children(10));
        assertEquals(7, tree.parent(4));
        assertEquals(10, tree.parent(7));
        assertEquals(-1, tree.parent(10));
    }

    @Test
    void shouldHaveNoLevelForOneRank() {
        assertEquals(0, new FanInTree(1, 2).height());
        assertEquals(List.of(), new FanInTree(1, 2).children(0));
    }

    @Test
    void shouldBeTheChildOfItsParentAndOfNobodyElse() {
        for (int size = 1; size <= 70; size++) {
            for (final int radix : new int[] {2, 4, 8, 64}) {
                final FanInTree tree = new FanInTree(size, radix);
                int children = 0;
                for (int rank = 0; rank < size; rank++) {
                    final int parent = rank;
                    assertTrue(tree.children(rank).stream().allMatch(c -> tree.parent(c) == parent));
                    children += tree.children(rank).size();
                }
                assertEquals(size - 1, children);
            }
        }
    }
}
