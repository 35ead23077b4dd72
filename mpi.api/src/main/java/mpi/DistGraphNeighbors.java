package mpi;

import org.jspecify.annotations.Nullable;

/** The edges of the calling rank in a distributed graph topology. */
public final class DistGraphNeighbors {
    private final int[] sources;
    private final int @Nullable [] sourceWeights;
    private final int[] destinations;
    private final int @Nullable [] destinationWeights;

    DistGraphNeighbors(final int[] sources, final int @Nullable [] sourceWeights, final int[] destinations,
        final int @Nullable [] destinationWeights) {
        this.sources = sources;
        this.sourceWeights = sourceWeights;
        this.destinations = destinations;
        this.destinationWeights = destinationWeights;
    }

    /** Returns the number of incoming edges. */
    public int getInDegree() {
        return sources.length;
    }

    /** Returns the number of outgoing edges. */
    public int getOutDegree() {
        return destinations.length;
    }

    /** Returns whether edges have weights. */
    public boolean isWeighted() {
        return sourceWeights != null;
    }

    /** Returns the source of incoming edge {@code i}. */
    public int getSource(final int i) {
        return sources[i];
    }

    /** Returns the weight of incoming edge {@code i}; 1 in a graph without weights. */
    public int getSourceWeight(final int i) {
        return sourceWeights == null ? 1 : sourceWeights[i];
    }

    /** Returns the destination of outgoing edge {@code i}. */
    public int getDestination(final int i) {
        return destinations[i];
    }

    /** Returns the weight of outgoing edge {@code i}; 1 in a graph without weights. */
    public int getDestinationWeight(final int i) {
        return destinationWeights == null ? 1 : destinationWeights[i];
    }
}
