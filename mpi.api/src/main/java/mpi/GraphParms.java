package mpi;

/** The nodes and edges of a graph: those of node i are the edges from index i-1 to index i, exclusively. */
public final class GraphParms {
    private final int[] index;
    private final int[] edges;

    GraphParms(final int[] index, final int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    /** How many nodes there are. */
    public int getIndexCount() {
        return index.length;
    }

    /** The number of edges of the nodes 0 to {@code i}. */
    public int getIndex(final int i) {
        return index[i];
    }

    /** How many edges there are. */
    public int getEdgeCount() {
        return edges.length;
    }

    /** To which node edge {@code i} leads. */
    public int getEdge(final int i) {
        return edges[i];
    }
}
