package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class FenwickTest {
    @Test
    void shouldKeepTheLongestRunThatEndsWithTheRank() {
        assertEquals(List.of(1, 2, 1, 4, 1, 2, 1, 8), List.of(0, 1, 2, 3, 4, 5, 6, 7).stream().map(Fenwick::run).toList());
        assertEquals(List.of(), Fenwick.parts(6));
        assertEquals(List.of(6, 5, 3), Fenwick.parts(7));
    }

    @Test
    void shouldMakeEveryPrefixOfRuns() {
        assertEquals(List.of(6, 5, 3), Fenwick.prefix(7));
        for (int count = 0; count <= 100; count++) {
            assertEquals(count, Fenwick.prefix(count).stream().mapToInt(Fenwick::run).sum());
        }
    }
}
