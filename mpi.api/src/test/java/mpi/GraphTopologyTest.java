package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Graphs that every rank knows, and distributed graphs as one rank knows them. */
class GraphTopologyTest {
    /** The example of the standard: 0 - 1, 0 - 3, 2 - 3. */
    private final GraphTopology graph = GraphTopology.of(new int[] {2, 3, 4, 6}, new int[] {1, 3, 0, 3, 0, 2}, 5);

    @Test
    void shouldReturnTheNeighboursOfEveryRank() {
        assertEquals(4, graph.size());
        assertArrayEquals(new int[] {1, 3}, graph.neighborsOf(0));
        assertArrayEquals(new int[] {0}, graph.neighborsOf(1));
        assertArrayEquals(new int[] {3}, graph.neighborsOf(2));
        assertArrayEquals(new int[] {0, 2}, graph.neighborsOf(3));
        refused(ErrorClass.RANK, "rank out of range: rank=4, size=4", () -> graph.neighborsOf(4));
        assertEquals("from [0, 2] to [0, 2]", graph.neighborhood(3).toString());
    }

    @Test
    void shouldReturnNodesAndEdges() {
        final GraphParms parms = graph.parms();
        assertEquals(4, parms.getIndexCount());
        assertEquals(4, parms.getIndex(2));
        assertEquals(6, parms.getEdgeCount());
        assertEquals(2, parms.getEdge(5));
    }

    @Test
    void shouldAcceptLoopsAndDoubleEdges() {
        final GraphTopology multi = GraphTopology.of(new int[] {3, 5}, new int[] {1, 0, 1, 0, 0}, 2);
        assertEquals("from [1, 0, 1] to [1, 0, 1]", multi.neighborhood(0).toString());
        assertEquals("from [0, 0] to [0, 0]", multi.neighborhood(1).toString());
    }

    @Test
    void shouldRefuseNeighboursInAsymmetricGraphs() {
        final GraphTopology oneWay = GraphTopology.of(new int[] {1, 1}, new int[] {1}, 2);
        refused(ErrorClass.TOPOLOGY, "neighbour collectives need a symmetric graph: edges from 0 to 1=1, from 1 to 0=0",
            () -> oneWay.neighborhood(0));
    }

    @Test
    void shouldRefuseInvalidGraphs() {
        refused(ErrorClass.ARG, "graph is incomplete: edges is null", () -> GraphTopology.of(new int[] {0}, null, 2));
        refused(ErrorClass.ARG, "graph is incomplete: index is null", () -> GraphTopology.of(null, new int[0], 2));
        refused(ErrorClass.ARG, "graph is larger than the communicator: nodes=3, ranks=2", () -> GraphTopology.of(new int[3], new int[0], 2));
        refused(ErrorClass.ARG, "index out of range: node=1, index=0, range=1..1", () -> GraphTopology.of(new int[] {1, 0}, new int[] {1}, 2));
        refused(ErrorClass.ARG, "index out of range: node=0, index=2, range=0..1", () -> GraphTopology.of(new int[] {2, 2}, new int[] {1}, 2));
        refused(ErrorClass.RANK, "edge target out of range: edge=0, target=2, nodes=2", () -> GraphTopology.of(new int[] {1, 1}, new int[] {2}, 3));
    }

    @Test
    void shouldKeepEdgesAndWeightsOfADistributedGraph() throws Exception {
        final DistGraphNeighbors weighted = Adjacency.of(new int[] {1, 1}, new int[] {7, 8}, new int[] {2}, new int[] {0}, true, 3).neighbors();
        assertEquals(2, weighted.getInDegree());
        assertEquals(1, weighted.getOutDegree());
        assertTrue(weighted.isWeighted());
        assertEquals(1, weighted.getSource(1));
        assertEquals(8, weighted.getSourceWeight(1));
        assertEquals(2, weighted.getDestination(0));
        assertEquals(0, weighted.getDestinationWeight(0));
        final Adjacency plain = Adjacency.of(new int[] {1}, null, new int[] {0, 2}, null, false, 3);
        assertFalse(plain.neighbors().isWeighted());
        assertEquals(1, plain.neighbors().getSourceWeight(0));
        assertEquals("from [1] to [0, 2]", plain.neighborhood(0).toString());
    }

    @Test
    void shouldRefuseInvalidEdgesAndWeights() {
        refused(ErrorClass.RANK, "source out of range: edge=1, rank=3, size=3",
            () -> Adjacency.of(new int[] {0, 3}, null, new int[0], null, false, 3));
        refused(ErrorClass.RANK, "destination out of range: edge=0, rank=-2, size=3",
            () -> Adjacency.of(new int[0], null, new int[] {-2}, null, false, 3));
        refused(ErrorClass.ARG, "sources are null", () -> Adjacency.of(null, null, new int[0], null, false, 3));
        refused(ErrorClass.ARG, "a weight per source is needed: weights=1, sources=2",
            () -> Adjacency.of(new int[2], new int[1], new int[0], new int[0], true, 3));
        refused(ErrorClass.ARG, "weight is negative: destination=0, weight=-1",
            () -> Adjacency.of(new int[0], new int[0], new int[1], new int[] {-1}, true, 3));
    }

    private static void refused(final ErrorClass errorClass, final String message, final Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }
}
