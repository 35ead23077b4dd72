package mpi;

/** The edges of the calling rank in a distributed graph. */
public final class DistGraphNeighbors {
    private final int[] sources;
    private final int[] sourceWeights;
    private final int[] destinations;
    private final int[] destinationWeights;

    DistGraphNeighbors(final int[] sources, final int[] sourceWeights, final int[] destinations, final int[] destinationWeights) {
        this.sources = sources;
        this.sourceWeights = sourceWeights;
        this.destinations = destinations;
        this.destinationWeights = destinationWeights;
    }

    /** How many edges come in. */
    public int getInDegree() {
        return sources.length;
    }

    /** How many edges go out. */
    public int getOutDegree() {
        return destinations.length;
    }

    /** Whether edges have weights. */
    public boolean isWeighted() {
        return sourceWeights != null;
    }

    /** Where incoming edge {@code i} begins. */
    public int getSource(final int i) {
        return sources[i];
    }

    /** The weight of incoming edge {@code i}; 1 in a graph without weights. */
    public int getSourceWeight(final int i) {
        return sourceWeights == null ? 1 : sourceWeights[i];
    }

    /** Where outgoing edge {@code i} ends. */
    public int getDestination(final int i) {
        return destinations[i];
    }

    /** The weight of outgoing edge {@code i}; 1 in a graph without weights. */
    public int getDestinationWeight(final int i) {
        return destinationWeights == null ? 1 : destinationWeights[i];
    }
}
