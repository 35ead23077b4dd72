package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.runtime.model.Reserved;

/** Tests the order in which blocks of neighbours match. */
class NeighborhoodTest {
    @Test
    void shouldKeepTheOrderOfAGraph() {
        final Neighborhood graph = Neighborhood.of(new int[] {4, 2, 4}, new int[] {1, 4});
        final Blocks blocks = Blocks.uniform(3, 8);
        assertSame(blocks, graph.arriving(blocks));
        assertArrayEquals(new int[] {0, 2}, graph.sourceIndices(4));
        assertArrayEquals(new int[] {1}, graph.destinationIndices(4));
        assertArrayEquals(new int[] {}, graph.destinationIndices(2));
    }

    @Test
    void shouldReceiveFromTheOppositeOfEachDirection() {
        // a ring of two: the same rank on both sides, and the end of a line
        final Neighborhood grid = Neighborhood.opposite(new int[] {1, 1, Reserved.PROC_NULL, 5});
        assertEquals(5, grid.neighbors().source(2));
        assertEquals(Reserved.PROC_NULL, grid.neighbors().source(3));
        final Blocks arriving = grid.arriving(Blocks.of(new long[] {1, 2, 3, 4}, new long[] {0, 10, 20, 30}));
        assertEquals(2, arriving.bytes(0));
        assertEquals(10, arriving.offset(0));
        assertEquals(1, arriving.bytes(1));
        assertEquals(30, arriving.offset(2));
        assertEquals(20, arriving.offset(3));
    }

    @Test
    void shouldAcceptRanksOfTheCommunicatorAndNone() {
        assertTrue(Neighborhood.isNeighbor(Reserved.PROC_NULL, 3));
        assertTrue(Neighborhood.isNeighbor(2, 3));
        assertFalse(Neighborhood.isNeighbor(3, 3));
    }
}
