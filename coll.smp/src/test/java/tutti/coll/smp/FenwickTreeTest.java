package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class FenwickTreeTest {
    @Test
    void shouldKeepTheLongestRunThatEndsWithTheRank() {
        assertEquals(List.of(1, 2, 1, 4, 1, 2, 1, 8), List.of(0, 1, 2, 3, 4, 5, 6, 7).stream().map(FenwickTree::run).toList());
        assertEquals(List.of(), FenwickTree.parts(6));
        assertEquals(List.of(6, 5, 3), FenwickTree.parts(7));
    }

    @Test
    void shouldMakeEveryPrefixOfRuns() {
        assertEquals(List.of(6, 5, 3), FenwickTree.prefix(7));
        for (int count = 0; count <= 100; count++) {
            assertEquals(count, FenwickTree.prefix(count).stream().mapToInt(FenwickTree::run).sum());
        }
    }
}
