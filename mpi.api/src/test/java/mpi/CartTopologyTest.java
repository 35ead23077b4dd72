package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;

class CartTopologyTest {
    private final CartTopology grid = CartTopology.of(new int[] {2, 3, 4}, new boolean[] {false, true, false}, 24);

    @Test
    void shouldNumberRanksInRowMajorOrder() {
        int rank = 0;
        for (int x = 0; x < 2; x++) {
            for (int y = 0; y < 3; y++) {
                for (int z = 0; z < 4; z++) {
                    assertArrayEquals(new int[] {x, y, z}, grid.coordsOf(rank));
                    assertEquals(rank++, grid.rankAt(new int[] {x, y, z}));
                }
            }
        }
        assertEquals(24, grid.size());
    }

    @Test
    void shouldWrapCoordinatesOfPeriodicDimensionsAlone() {
        assertEquals(grid.rankAt(new int[] {1, 2, 0}), grid.rankAt(new int[] {1, -1, 0}));
        assertEquals(grid.rankAt(new int[] {1, 1, 0}), grid.rankAt(new int[] {1, 7, 0}));
        refused(ErrorClass.ARG, "coordinate out of range: dimension=2, coordinate=4, length=4", () -> grid.rankAt(new int[] {0, 0, 4}));
        refused(ErrorClass.ARG, "coordinate out of range: dimension=0, coordinate=-1, length=2", () -> grid.rankAt(new int[] {-1, 0, 0}));
        refused(ErrorClass.ARG, "a coordinate per dimension is needed: coords=2, dimensions=3", () -> grid.rankAt(new int[2]));
    }

    @Test
    void shouldShiftAlongADimension() {
        final int rank = grid.rankAt(new int[] {1, 2, 1});
        assertEquals(Reserved.PROC_NULL, grid.shift(rank, 0, 1));
        assertEquals(grid.rankAt(new int[] {0, 2, 1}), grid.shift(rank, 0, -1));
        assertEquals(grid.rankAt(new int[] {1, 0, 1}), grid.shift(rank, 1, 1));
        assertEquals(rank, grid.shift(rank, 1, -3));
        assertEquals(rank, grid.shift(rank, 2, 0));
        assertEquals(Reserved.PROC_NULL, grid.shift(rank, 2, Integer.MIN_VALUE));
        assertEquals(grid.rankAt(new int[] {1, 1, 1}), grid.shift(rank, 1, -(long) Integer.MIN_VALUE));
        refused(ErrorClass.DIMS, "dimension out of range: dimension=3, dimensions=3", () -> grid.shift(rank, 3, 1));
        refused(ErrorClass.RANK, "rank out of range: rank=24, size=24", () -> grid.coordsOf(24));
        refused(ErrorClass.RANK, "rank out of range: rank=-1, size=24", () -> grid.coordsOf(-1));
    }

    @Test
    void shouldListNeighboursBelowAndAboveInEachDimension() {
        assertEquals("from [-2, 0, 1, 1, 1, 1] to [0, -2, 1, 1, 1, 1]",
            CartTopology.of(new int[] {2, 1, 1}, new boolean[] {false, true, true}, 2).neighborhood(1).toString());
        assertEquals("from [1, 1] to [1, 1]", CartTopology.of(new int[] {2}, new boolean[] {true}, 2).neighborhood(0).toString());
        assertEquals("from [2, 0] to [0, 2]", CartTopology.of(new int[] {3}, new boolean[] {true}, 3).neighborhood(1).toString());
    }

    @Test
    void shouldPartitionIntoSubgrids() {
        final boolean[] remain = {true, false, true};
        final CartTopology sub = grid.sub(remain);
        assertEquals(8, sub.size());
        assertEquals(2, sub.dimensions());
        assertEquals(4, sub.length(1));
        assertFalse(sub.isPeriodic(1));
        for (int rank = 0; rank < 24; rank++) {
            final int[] coords = grid.coordsOf(rank);
            assertEquals(coords[1], grid.project(rank, remain, false));
            assertEquals(sub.rankAt(new int[] {coords[0], coords[2]}), grid.project(rank, remain, true));
        }
        refused(ErrorClass.ARG, "a flag per dimension is needed: flags=1, dimensions=3", () -> grid.sub(new boolean[1]));
    }

    @Test
    void shouldHaveOneRankWithoutDimensions() {
        final CartTopology point = CartTopology.of(new int[0], new boolean[0], 5);
        assertEquals(1, point.size());
        assertEquals(0, point.rankAt(new int[0]));
        assertEquals(0, point.coordsOf(0).length);
        assertEquals("from [] to []", point.neighborhood(0).toString());
    }

    @Test
    void shouldRefuseInvalidGrids() {
        refused(ErrorClass.DIMS, "dimension out of range: dimension=1, length=0, min=1", () -> CartTopology.of(new int[] {1, 0}, new boolean[2], 4));
        refused(ErrorClass.DIMS, "grid is larger than the communicator: dims=[2, 3], ranks=5",
            () -> CartTopology.of(new int[] {2, 3}, new boolean[2], 5));
        refused(ErrorClass.DIMS, "grid is larger than the communicator: dims=[65536, 65536], ranks=5",
            () -> CartTopology.of(new int[] {65536, 65536}, new boolean[2], 5));
        refused(ErrorClass.ARG, "numbers of dimensions and periods differ: dims=2, periods=1",
            () -> CartTopology.of(new int[] {1, 1}, new boolean[1], 4));
        refused(ErrorClass.ARG, "numbers of dimensions and periods differ: dims=null, periods=1", () -> CartTopology.of(null, new boolean[1], 4));
    }

    @Test
    void shouldReturnTheParametersForARank() {
        final CartParms parms = grid.parms(grid.rankAt(new int[] {1, 2, 3}));
        assertEquals(3, parms.getDimCount());
        assertEquals(3, parms.getDim(1));
        assertTrue(parms.getPeriod(1));
        assertFalse(parms.getPeriod(2));
        assertEquals(3, parms.getCoord(2));
    }

    @Test
    void shouldBalanceDimensions() {
        assertDims("[4]", 4, 0);
        assertDims("[2, 2]", 4, 0, 0);
        assertDims("[3, 2]", 6, 0, 0);
        assertDims("[7, 1]", 7, 0, 0);
        assertDims("[2, 3, 1]", 6, 0, 3, 0);
        assertDims("[5, 4, 3]", 60, 0, 0, 0);
        assertDims("[2, 2, 2, 1, 1]", 8, 0, 0, 0, 0, 0);
        assertDims("[6, 6]", 36, 0, 0);
        assertDims("[12, 6, 6]", 432, 12, 0, 0);
        assertDims("[32, 32, 32]", 32768, 0, 0, 0);
        assertDims("[2147483647, 1, 1]", Integer.MAX_VALUE, 0, 0, 0);
        assertDims("[3, 2]", 6, 3, 2);
        assertDims("[]", 1);
        assertDims("[1, 1]", 1, 0, 0);
    }

    private static void assertDims(final String expected, final int ranks, final int... dims) {
        BalancedDims.fill(ranks, dims);
        assertEquals(expected, Arrays.toString(dims));
    }

    @Test
    void shouldHaveTheShortestLongestDimensionOfAllGrids() {
        for (int ranks = 1; ranks <= 400; ranks++) {
            final int[] dims = new int[3];
            BalancedDims.fill(ranks, dims);
            assertEquals(ranks, dims[0] * dims[1] * dims[2]);
            assertTrue(dims[0] >= dims[1] && dims[1] >= dims[2], Arrays.toString(dims));
            assertArrayEquals(best(ranks), dims);
        }
    }

    /** Returns the best dimensions by exhaustive search. */
    private static int[] best(final int ranks) {
        int[] best = {ranks, 1, 1};
        for (int a = 1; a <= ranks; a++) {
            for (int b = 1; b <= a && a * b <= ranks; b++) {
                final int[] dims = {a, b, ranks / a / b};
                if (a * b * dims[2] == ranks && dims[2] <= b && Arrays.compare(dims, best) < 0) {
                    best = dims;
                }
            }
        }
        return best;
    }

    @Test
    void shouldRefuseDimensionsThatRanksDoNotFill() {
        refused(ErrorClass.DIMS, "ranks do not fill the dimensions: ranks=7, dims=[2, 0]", () -> BalancedDims.fill(7, new int[] {2, 0}));
        refused(ErrorClass.DIMS, "ranks do not fill the dimensions: ranks=6, dims=[3, 1]", () -> BalancedDims.fill(6, new int[] {3, 1}));
        refused(ErrorClass.DIMS, "ranks do not fill the dimensions: ranks=2, dims=[]", () -> BalancedDims.fill(2, new int[0]));
        refused(ErrorClass.DIMS, "dimension out of range: dimension=0, length=-1, min=0", () -> BalancedDims.fill(6, new int[] {-1, 0}));
        refused(ErrorClass.ARG, "number of ranks out of range: ranks=0, min=1", () -> BalancedDims.fill(0, new int[] {0}));
        refused(ErrorClass.ARG, "dimensions are null", () -> BalancedDims.fill(1, null));
    }

    private static void refused(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }
}
