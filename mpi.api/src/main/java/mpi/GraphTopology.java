package mpi;

import java.util.Arrays;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** A graph topology that every rank knows: rank i has the edges {@code index[i-1]} (inclusive) to {@code index[i]} (exclusive). */
final class GraphTopology implements Topology {
    private final int[] index;
    private final int[] edges;

    private GraphTopology(final int[] index, final int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    /** Creates a graph of at most {@code size} ranks; the arrays are checked and copied. */
    static GraphTopology of(final int[] index, final int[] edges, final int size) {
        if (index == null || edges == null) {
            // Cause: `createGraph` got no array. Remedy: both arrays.
            throw new MpiFailure(ErrorClass.ARG, "graph is incomplete: " + (index == null ? "index" : "edges") + " is null");
        }
        if (index.length > size) {
            // Cause: a node of the graph is a rank. Remedy: fewer nodes, or more ranks.
            throw new MpiFailure(ErrorClass.ARG, "graph is larger than the communicator: nodes=" + index.length + ", ranks=" + size);
        }
        int before = 0;
        for (int i = 0; i < index.length; i++) {
            if (index[i] < before || index[i] > edges.length) {
                // Cause: the cumulated degrees decrease, or exceed the edges. Remedy: `index[i]` is the number of edges of the nodes 0 to i.
                throw new MpiFailure(ErrorClass.ARG,
                    "index out of range: node=" + i + ", index=" + index[i] + ", range=" + before + ".." + edges.length);
            }
            before = index[i];
        }
        for (int i = 0; i < before; i++) {
            if (edges[i] < 0 || edges[i] >= index.length) {
                // Cause: an edge leads to no node of the graph. Remedy: 0 to nodes - 1.
                throw new MpiFailure(ErrorClass.RANK, "edge target out of range: edge=" + i + ", target=" + edges[i] + ", nodes=" + index.length);
            }
        }
        return new GraphTopology(index.clone(), Arrays.copyOf(edges, before));
    }

    @Override
    public String describe() {
        return "index " + Arrays.toString(index) + ", edges " + Arrays.toString(edges);
    }

    /** Returns the number of ranks. */
    int size() {
        return index.length;
    }

    /** Returns the neighbours of a rank in the order of its edges. */
    int[] neighborsOf(final int rank) {
        if (rank < 0 || rank >= index.length) {
            throw new MpiFailure(ErrorClass.RANK, "rank out of range: rank=" + rank + ", size=" + index.length);
        }
        return Arrays.copyOfRange(edges, rank == 0 ? 0 : index[rank - 1], index[rank]);
    }

    /** Returns the neighbours of a rank. Each is both source and destination, so every edge must exist in both directions. */
    @Override
    public Neighborhood neighborhood(final int rank) {
        final int[] neighbors = neighborsOf(rank);
        for (final int n : neighbors) {
            final long forward = Arrays.stream(neighbors).filter(x -> x == n).count();
            final long back = Arrays.stream(neighborsOf(n)).filter(x -> x == rank).count();
            if (forward != back) {
                // Cause: of `createGraph` each edge needs one back. Remedy: add it, or use `createDistGraph`.
                throw new MpiFailure(ErrorClass.TOPOLOGY, "neighbour collectives need a symmetric graph: edges from " + rank + " to " + n + "="
                    + forward + ", from " + n + " to " + rank + "=" + back);
            }
        }
        return Neighborhood.of(neighbors, neighbors);
    }

    GraphParms parms() {
        return new GraphParms(index, edges);
    }
}
