package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the index computations of both trees, for every size and rank. */
class TreeShapeTest {
    private static final int MAX_RANKS = 130;
    private static final int[] RADICES = {2, 3, 4, 5, 8, 16, 129, Integer.MAX_VALUE};

    static Stream<TreeShape> shapes() {
        return IntStream.of(RADICES).boxed().flatMap(k -> Stream.of(new KnomialTree(k), new KaryTree(k)));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldHaveSubtreesOfConsecutiveRanks(final TreeShape shape) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            assertEquals(size, shape.at(0, size).members());
            for (int rank = 0; rank < size; rank++) {
                final TreeNode node = shape.at(rank, size);
                int next = rank + 1;
                for (int i = 0; i < node.children().length; i++) {
                    final int child = node.children()[i];
                    assertEquals(next, child);
                    next = node.endOf(i);
                    assertEquals(next - child, shape.at(child, size).members());
                }
                assertEquals(rank + node.members(), next);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldBeTheParentOfEveryChild(final TreeShape shape) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            assertEquals(-1, shape.at(0, size).parent());
            for (int rank = 0; rank < size; rank++) {
                for (final int child : shape.at(rank, size).children()) {
                    assertEquals(rank, shape.at(child, size).parent());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReturnTheLargestNumberOfChildren(final TreeShape shape) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final int ranks = size;
            final int most = IntStream.range(0, size).map(r -> shape.at(r, ranks).children().length).max().orElseThrow();
            assertEquals(most, shape.degree(size));
        }
    }

    @Test
    void shouldClearTheLowestNonzeroDigitInAKnomialTree() {
        for (final int k : new int[] {2, 3, 4, 5}) {
            for (int rank = 1; rank < MAX_RANKS; rank++) {
                final char[] digits = Integer.toString(rank, k).toCharArray();
                int lowest = digits.length - 1;
                while (digits[lowest] == '0') {
                    lowest--;
                }
                digits[lowest] = '0';
                assertEquals(Integer.parseInt(new String(digits), k), new KnomialTree(k).at(rank, MAX_RANKS).parent());
            }
        }
    }

    @Test
    void shouldHaveNoMoreLevelsThanAKaryTreeNeeds() {
        for (final int k : new int[] {2, 3, 4, 5}) {
            for (int size = 1; size <= MAX_RANKS; size++) {
                int levels = 0;
                for (long capacity = 1, level = 1; capacity < size; capacity += level) {
                    level *= k;
                    levels++;
                }
                assertEquals(levels, depth(new KaryTree(k), 0, size));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldHaveTheDeeperSubtreesLater(final TreeShape shape) {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (int rank = 0; rank < size; rank++) {
                final TreeNode node = shape.at(rank, size);
                // the ranks may end within the last one
                for (int i = 1; i < node.children().length - 1; i++) {
                    assertTrue(depth(shape, node.children()[i - 1], size) <= depth(shape, node.children()[i], size));
                }
            }
        }
    }

    @Test
    void shouldReachEveryRankThatThereCanBe() {
        final int size = Integer.MAX_VALUE;
        for (final TreeShape shape : new TreeShape[] {new KnomialTree(2), new KnomialTree(7), new KnomialTree(size), new KaryTree(2),
            new KaryTree(7)}) {
            for (int rank = size - 1, steps = 0; rank > 0; steps++) {
                final int parent = shape.at(rank, size).parent();
                assertTrue(parent >= 0 && parent < rank && steps < 40);
                rank = parent;
            }
        }
    }

    private static int depth(final TreeShape shape, final int rank, final int size) {
        return IntStream.of(shape.at(rank, size).children()).map(c -> 1 + depth(shape, c, size)).max().orElse(0);
    }

    @Test
    void shouldBeAsDrawn() {
        assertArrayEquals(new int[] {1, 2, 3, 6}, new KnomialTree(3).at(0, 8).children());
        assertArrayEquals(new int[] {4, 5}, new KnomialTree(3).at(3, 8).children());
        assertArrayEquals(new int[] {7}, new KnomialTree(3).at(6, 8).children());
        assertArrayEquals(new int[] {1, 4}, new KaryTree(2).at(0, 8).children());
        assertArrayEquals(new int[] {2, 3}, new KaryTree(2).at(1, 8).children());
        assertArrayEquals(new int[] {5, 6}, new KaryTree(2).at(4, 8).children());
        assertArrayEquals(new int[] {7}, new KaryTree(2).at(6, 8).children());
    }
}
