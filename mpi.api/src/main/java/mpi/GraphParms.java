package mpi;

/** The nodes and edges of a graph topology: edges {@code getIndex(i-1)} (inclusive) to {@code getIndex(i)} (exclusive) belong to node i. */
public final class GraphParms {
    private final int[] index;
    private final int[] edges;

    GraphParms(final int[] index, final int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    /** Returns the number of nodes. */
    public int getIndexCount() {
        return index.length;
    }

    /** Returns the number of edges of nodes 0 to {@code i}. */
    public int getIndex(final int i) {
        return index[i];
    }

    /** Returns the number of edges. */
    public int getEdgeCount() {
        return edges.length;
    }

    /** Returns the node to which edge {@code i} leads. */
    public int getEdge(final int i) {
        return edges[i];
    }
}
