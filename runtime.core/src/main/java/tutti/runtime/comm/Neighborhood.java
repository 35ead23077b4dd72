package tutti.runtime.comm;

import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;

/**
 * The neighbours of a rank, all that the runtime knows of a topology: from whom it receives and to whom it sends, in the order of the blocks
 * in its buffers.
 *
 * <p>Immutable; safe for any thread.
 */
public final class Neighborhood {
    private final Neighbors neighbors;
    private final int[] places;

    private Neighborhood(final Neighbors neighbors, final int[] places) {
        this.neighbors = neighbors;
        this.places = places;
    }

    /**
     * Neighbours of a graph. The k-th edge from a to b in the order of a's destinations is the k-th in the order of b's sources.
     *
     * @param sources      for each block that is received; {@link Communicator#PROC_NULL} for none
     * @param destinations for each block that is sent; {@link Communicator#PROC_NULL} for none
     */
    public static Neighborhood of(final int[] sources, final int[] destinations) {
        return new Neighborhood(Neighbors.of(sources, destinations), null);
    }

    /**
     * Neighbours in pairs of opposite directions: what is sent in one direction comes from the other, even where both are the same rank.
     *
     * @param neighbors two for each dimension; {@link Communicator#PROC_NULL} for none
     */
    public static Neighborhood opposite(final int[] neighbors) {
        final int[] places = new int[neighbors.length];
        final int[] sources = new int[neighbors.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = i ^ 1;
            sources[i] = neighbors[places[i]];
        }
        return new Neighborhood(Neighbors.of(sources, neighbors), places);
    }

    /** The neighbours in the order in which messages meet. */
    Neighbors neighbors() {
        return neighbors;
    }

    /** Blocks in the order of the buffer as blocks in that of {@link #neighbors()}. */
    Blocks arriving(final Blocks inBuffer) {
        if (places == null) {
            return inBuffer;
        }
        final long[] lengths = new long[places.length];
        final long[] offsets = new long[places.length];
        for (int i = 0; i < places.length; i++) {
            lengths[i] = inBuffer.bytes(places[i]);
            offsets[i] = inBuffer.offset(places[i]);
        }
        return Blocks.of(lengths, offsets);
    }

    /** The places of a rank among the sources, in the order in which messages meet. */
    int[] sourcesAt(final int rank) {
        return IntStream.range(0, neighbors.sources()).filter(i -> neighbors.source(i) == rank).toArray();
    }

    /** The places of a rank among the destinations. */
    int[] destinationsAt(final int rank) {
        return IntStream.range(0, neighbors.destinations()).filter(i -> neighbors.destination(i) == rank).toArray();
    }

    /** Whether a rank can be a neighbour among {@code size} ranks. */
    static boolean isNeighbor(final int rank, final int size) {
        return rank == Call.PROC_NULL || rank < size;
    }

    @Override
    public String toString() {
        return neighbors.toString();
    }
}
