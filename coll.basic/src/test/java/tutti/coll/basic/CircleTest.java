package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CircleTest {
    @Test
    void shouldGoUpAndDownModuloSize() {
        for (int size = 1; size <= 33; size++) {
            for (int rank = 0; rank < size; rank++) {
                for (int d = 0; d < size; d++) {
                    assertEquals((rank + d) % size, Circle.up(rank, d, size));
                    assertEquals((rank - d + size) % size, Circle.down(rank, d, size));
                }
            }
        }
    }

    @Test
    void shouldNotOverflow() {
        final int size = Integer.MAX_VALUE;
        assertEquals(size - 3, Circle.up(size - 1, size - 2, size));
        assertEquals(size - 1, Circle.down(0, 1, size));
    }
}
