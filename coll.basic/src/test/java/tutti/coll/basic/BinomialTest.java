package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class BinomialTest {
    private static final int MAX_RANKS = 70;

    @Test
    void shouldRoundLogarithmsUp() {
        assertEquals(0, Binomial.log2(1));
        assertEquals(1, Binomial.log2(2));
        assertEquals(2, Binomial.log2(3));
        assertEquals(2, Binomial.log2(4));
        assertEquals(3, Binomial.log2(5));
        assertEquals(31, Binomial.log2(Integer.MAX_VALUE));
    }

    @Test
    void shouldBeTheParentOfEveryChild() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (int v = 0; v < size; v++) {
                for (int i = 0; i < Binomial.children(v, size); i++) {
                    assertTrue(v + (1 << i) < size);
                    assertEquals(v, Binomial.parent(v + (1 << i)));
                }
            }
        }
    }

    @Test
    void shouldReachEveryRankOnce() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            int edges = 0;
            for (int v = 0; v < size; v++) {
                edges += Binomial.children(v, size);
            }
            assertEquals(size - 1, edges);
        }
    }

    @Test
    void shouldHaveSubtreesOfConsecutiveRanks() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            for (int v = 0; v < size; v++) {
                final BitSet members = new BitSet();
                collect(v, size, members);
                assertEquals(Binomial.subtree(v, size), members.cardinality());
                assertEquals(v + Binomial.subtree(v, size), members.length());
                assertEquals(v, members.nextSetBit(0));
            }
        }
    }

    private static void collect(final int v, final int size, final BitSet members) {
        members.set(v);
        for (int i = 0; i < Binomial.children(v, size); i++) {
            collect(v + (1 << i), size, members);
        }
    }
}
