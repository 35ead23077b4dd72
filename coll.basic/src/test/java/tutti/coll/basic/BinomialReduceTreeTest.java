package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BinomialReduceTreeTest {

    @Test
    void shouldCombineInRankOrderWithoutCommutativity() {
        for (int size = 1; size <= 33; size++) {
            for (int root = 0; root < size; root++) {
                assertEquals(IntStream.range(0, size).boxed().toList(), combined(root, size, root, false));
            }
        }
    }

    @Test
    void shouldCombineEveryRankOnceWithCommutativity() {
        for (int size = 1; size <= 33; size++) {
            for (int root = 0; root < size; root++) {
                assertEquals(IntStream.range(0, size).boxed().toList(), combined(root, size, root, true).stream().sorted().toList());
            }
        }
    }

    @Test
    void shouldNameTheParentWhoseChildARankIs() {
        for (int size = 1; size <= 33; size++) {
            for (int root = 0; root < size; root++) {
                for (int rank = 0; rank < size; rank++) {
                    final int me = rank;
                    final int parent = BinomialReduceTree.of(rank, size, root, false).parent();
                    assertEquals(rank == root, parent < 0);
                    if (parent >= 0) {
                        final BinomialReduceTree above = BinomialReduceTree.of(parent, size, root, false);
                        assertTrue(above.lower() == rank || IntStream.of(above.higher()).anyMatch(c -> c == me));
                    }
                }
            }
        }
    }

    @Test
    void shouldGiveTheRanksBelowTheRootATreeOfTheirOwn() {
        final BinomialReduceTree root = BinomialReduceTree.of(2, 5, 2, false);
        assertArrayEquals(new int[] {3, 4}, root.higher());
        assertEquals(0, root.lower());
        final BinomialReduceTree low = BinomialReduceTree.of(0, 5, 2, false);
        assertArrayEquals(new int[] {1}, low.higher());
        assertEquals(2, low.parent());
        assertEquals(-1, low.lower());
    }

    /** Returns the ranks in the order of their operands in the result of {@code rank}. */
    private static List<Integer> combined(final int rank, final int size, final int root, final boolean commutative) {
        final BinomialReduceTree tree = BinomialReduceTree.of(rank, size, root, commutative);
        final List<Integer> ranks = new ArrayList<>(List.of(rank));
        for (final int child : tree.higher()) {
            ranks.addAll(combined(child, size, root, commutative));
        }
        if (tree.lower() >= 0) {
            ranks.addAll(0, combined(tree.lower(), size, root, commutative));
        }
        return ranks;
    }
}
