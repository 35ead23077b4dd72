package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class CyclicRanksTest {
    @Test
    void shouldGoUpAndDownModuloSize() {
        for (int size = 1; size <= 33; size++) {
            for (int rank = 0; rank < size; rank++) {
                for (int d = 0; d < size; d++) {
                    assertEquals((rank + d) % size, CyclicRanks.up(rank, d, size));
                    assertEquals((rank - d + size) % size, CyclicRanks.down(rank, d, size));
                }
            }
        }
    }

    @Test
    void shouldNotOverflow() {
        final int size = Integer.MAX_VALUE;
        assertEquals(size - 3, CyclicRanks.up(size - 1, size - 2, size));
        assertEquals(size - 1, CyclicRanks.down(0, 1, size));
    }

    @Test
    void shouldPairEveryRankWithEveryOtherOnce() {
        for (int size = 1; size <= 17; size++) {
            for (int rank = 0; rank < size; rank++) {
                final BitSet met = new BitSet();
                for (int round = 0; round < size; round++) {
                    final int peer = CyclicRanks.partner(rank, round, size);
                    assertEquals(rank, CyclicRanks.partner(peer, round, size));
                    met.set(peer);
                }
                assertEquals(size, met.cardinality());
            }
        }
    }

    @Test
    void shouldCountTheRanksBeforeTheEndOfTheCycle() {
        assertEquals(3, CyclicRanks.head(2, 3, 5));
        assertEquals(1, CyclicRanks.head(4, 3, 5));
        assertEquals(0, CyclicRanks.head(4, 0, 5));
    }
}
