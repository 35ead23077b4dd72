package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
