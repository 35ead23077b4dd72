package mpi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** A distributed graph topology as one rank knows it: its incoming and outgoing edges. Weights are null in a graph without weights. */
final class Adjacency implements Topology {
    private final int[] sources;
    private final int @Nullable [] sourceWeights;
    private final int[] destinations;
    private final int @Nullable [] destinationWeights;
    private final Neighborhood neighborhood;

    private Adjacency(final int[] sources, final int @Nullable [] sourceWeights, final int[] destinations,
        final int @Nullable [] destinationWeights) {
        this.sources = sources;
        this.sourceWeights = sourceWeights;
        this.destinations = destinations;
        this.destinationWeights = destinationWeights;
        this.neighborhood = Neighborhood.of(sources, destinations);
    }

    /** Creates the adjacency of one of {@code size} ranks; the arrays are checked and copied. Weights matter in a graph with weights only. */
    static Adjacency of(final int[] sources, final int @Nullable [] sourceWeights, final int[] destinations,
        final int @Nullable [] destinationWeights, final boolean isWeighted, final int size) {
        checkRanks("source", sources, size);
        // Cause: an array of a graph is missing. Remedy: give the array.
        checkRanks("destination", destinations, size);
        if (!isWeighted) {
            return new Adjacency(sources.clone(), null, destinations.clone(), null);
        }
        return new Adjacency(sources.clone(), checkedWeights("source", sourceWeights, sources.length).clone(), destinations.clone(),
            checkedWeights("destination", destinationWeights, destinations.length).clone());
    }

    static void checkRanks(final String what, final int[] ranks, final int size) {
        if (ranks == null) {
            // Cause: an array of a graph is missing. Remedy: give the array.
            throw new MpiFailure(ErrorClass.ARG, what + "s are null");
        }
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] < 0 || ranks[i] >= size) {
                // Cause: the communicator has no such rank. Remedy: 0 to size - 1.
                throw new MpiFailure(ErrorClass.RANK, what + " out of range: edge=" + i + ", rank=" + ranks[i] + ", size=" + size);
            }
        }
    }

    /** Returns the weights; throws if there are too few, or one is negative. */
    static int[] checkedWeights(final String what, final int @Nullable [] weights, final int edges) {
        if (weights == null || weights.length < edges) {
            // Cause: the array of weights has another length. Remedy: one weight for each edge, or the call without weights.
            throw new MpiFailure(ErrorClass.ARG, "a weight per " + what + " is needed: weights=" + (weights == null ? "null" : weights.length)
                + ", " + what + "s=" + edges);
        }
        for (int i = 0; i < edges; i++) {
            if (weights[i] < 0) {
                // Cause: weights of edges are 0 or more. Remedy: 0 or more.
                throw new MpiFailure(ErrorClass.ARG, "weight is negative: " + what + "=" + i + ", weight=" + weights[i]);
            }
        }
        return weights;
    }

    @Override
    public String describe() {
        return "sources " + Arrays.toString(sources) + Arrays.toString(sourceWeights) + ", destinations " + Arrays.toString(destinations)
            + Arrays.toString(destinationWeights);
    }

    @Override
    public Neighborhood neighborhood(final int rank) {
        return neighborhood;
    }

    DistGraphNeighbors neighbors() {
        return new DistGraphNeighbors(sources, sourceWeights, destinations, destinationWeights);
    }
}
