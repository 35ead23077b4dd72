package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RecursiveDoublingTest {
    private static final int MAX_RANKS = 70;

    @Test
    void shouldLetAPowerOfTwoOfRanksTakePart() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final RecursiveDoubling d = new RecursiveDoubling(size);
            int active = 0;
            for (int rank = 0; rank < size; rank++) {
                active += d.isIdle(rank) ? 0 : 1;
            }
            assertEquals(d.core(), active);
            assertEquals(1 << d.rounds(), d.core());
            assertTrue(d.core() <= size && 2 * d.core() > size);
        }
    }

    @Test
    void shouldNumberActiveRanksInRankOrder() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final RecursiveDoubling d = new RecursiveDoubling(size);
            int next = 0;
            for (int rank = 0; rank < size; rank++) {
                if (!d.isIdle(rank)) {
                    assertEquals(next, d.index(rank));
                    assertEquals(rank, d.rankAt(next));
                    next++;
                }
            }
        }
    }

    @Test
    void shouldHaveMutualPartnersThatAreActive() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final RecursiveDoubling d = new RecursiveDoubling(size);
            for (int place = 0; place < d.core(); place++) {
                final int rank = d.rankAt(place);
                int higher = 0;
                for (int round = 0; round < d.rounds(); round++) {
                    final int partner = d.partner(rank, round);
                    assertFalse(d.isIdle(partner));
                    assertEquals(rank, d.partner(partner, round));
                    higher += partner > rank ? 1 : 0;
                }
                assertEquals(higher, d.higherPartners(rank));
            }
        }
    }

    @Test
    void shouldIdleTheEvenRanksOfPairs() {
        final RecursiveDoubling d = new RecursiveDoubling(5);
        assertTrue(d.isPaired(0) && d.isPaired(1) && !d.isPaired(2));
        assertTrue(d.isIdle(0) && !d.isIdle(1) && !d.isIdle(2));
    }
}
