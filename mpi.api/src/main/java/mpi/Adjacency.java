package mpi;

import tutti.runtime.collective.Neighborhood;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** A distributed graph topology as one rank knows it: its incoming and outgoing edges. Weights are null in a graph without weights. */
final class Adjacency implements Topology {
    private final int[] sources;
    private final int[] sourceWeights;
    private final int[] destinations;
    private final int[] destinationWeights;
    private final Neighborhood neighborhood;

    private Adjacency(final int[] sources, final int[] sourceWeights, final int[] destinations, final int[] destinationWeights) {
        this.sources = sources;
        this.sourceWeights = sourceWeights;
        this.destinations = destinations;
        this.destinationWeights = destinationWeights;
        this.neighborhood = Neighborhood.of(sources, destinations);
    }

    /** Creates the adjacency of one of {@code size} ranks; the arrays are checked and copied. */
    static Adjacency of(final int[] sources, final int[] sourceWeights, final int[] destinations, final int[] destinationWeights,
        final boolean isWeighted, final int size) {
        checkRanks("source", sources, size);
        checkRanks("destination", destinations, size);
        if (isWeighted) {
            checkWeights("source", sourceWeights, sources.length);
            checkWeights("destination", destinationWeights, destinations.length);
        }
        return new Adjacency(sources.clone(), isWeighted ? sourceWeights.clone() : null, destinations.clone(),
            isWeighted ? destinationWeights.clone() : null);
    }

    static void checkRanks(final String what, final int[] ranks, final int size) {
        if (ranks == null) {
            throw new MpiFailure(ErrorClass.ARG, what + "s are null");
        }
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] < 0 || ranks[i] >= size) {
                throw new MpiFailure(ErrorClass.RANK, what + " out of range: edge=" + i + ", rank=" + ranks[i] + ", size=" + size);
            }
        }
    }

    static void checkWeights(final String what, final int[] weights, final int edges) {
        if (weights == null || weights.length < edges) {
            throw new MpiFailure(ErrorClass.ARG, "a weight per " + what + " is needed: weights=" + (weights == null ? "null" : weights.length)
                + ", " + what + "s=" + edges);
        }
        for (int i = 0; i < edges; i++) {
            if (weights[i] < 0) {
                throw new MpiFailure(ErrorClass.ARG, "weight is negative: " + what + "=" + i + ", weight=" + weights[i]);
            }
        }
    }

    @Override
    public int kind() {
        return MPI.DIST_GRAPH;
    }

    @Override
    public Neighborhood neighborhood(final int rank) {
        return neighborhood;
    }

    DistGraphNeighbors neighbors() {
        return new DistGraphNeighbors(sources, sourceWeights, destinations, destinationWeights);
    }
}
