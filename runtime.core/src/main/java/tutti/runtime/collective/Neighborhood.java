package tutti.runtime.collective;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.runtime.model.Reserved;

/**
 * The neighbours of a rank, which is all that the runtime knows of a topology: the sources it receives from and the destinations it sends to, in
 * the order of the blocks in its buffers.
 *
 * <p>Immutable; safe for any thread.
 */
public final class Neighborhood {
    private final Neighbors neighbors;
    private final int @Nullable [] blockOrder;

    private Neighborhood(final Neighbors neighbors, final int @Nullable [] order) {
        this.neighbors = neighbors;
        this.blockOrder = order;
    }

    /**
     * Returns the neighbours of a rank in a graph. The k-th edge from a to b in the order of a's destinations is the k-th in the order of b's
     * sources.
     *
     * @param sources      source of each received block; {@link Reserved#PROC_NULL} for none
     * @param destinations destination of each sent block; {@link Reserved#PROC_NULL} for none
     */
    public static Neighborhood of(final int[] sources, final int[] destinations) {
        return new Neighborhood(Neighbors.of(sources, destinations), null);
    }

    /**
     * Returns neighbours in pairs of opposite directions. A block that is sent in one direction is received from the opposite one, even where
     * both neighbours are the same rank.
     *
     * @param neighbors two for each dimension; {@link Reserved#PROC_NULL} for none
     */
    public static Neighborhood opposite(final int[] neighbors) {
        final int[] order = new int[neighbors.length];
        final int[] sources = new int[neighbors.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = i ^ 1;
            sources[i] = neighbors[order[i]];
        }
        return new Neighborhood(Neighbors.of(sources, neighbors), order);
    }

    /** Returns the neighbours in the order in which their messages match. */
    Neighbors neighbors() {
        return neighbors;
    }

    /** Returns the blocks of a receive buffer in the order of the sources of {@link #neighbors()}. */
    Blocks arriving(final Blocks inBuffer) {
        if (blockOrder == null) {
            return inBuffer;
        }
        final long[] lengths = new long[blockOrder.length];
        final long[] offsets = new long[blockOrder.length];
        for (int i = 0; i < blockOrder.length; i++) {
            lengths[i] = inBuffer.bytes(blockOrder[i]);
            offsets[i] = inBuffer.offset(blockOrder[i]);
        }
        return Blocks.of(lengths, offsets);
    }

    /** Returns the indices of a rank among the sources, in the order in which messages match. */
    int[] sourceIndices(final int rank) {
        return IntStream.range(0, neighbors.sources()).filter(i -> neighbors.source(i) == rank).toArray();
    }

    /** Returns the indices of a rank among the destinations. */
    int[] destinationIndices(final int rank) {
        return IntStream.range(0, neighbors.destinations()).filter(i -> neighbors.destination(i) == rank).toArray();
    }

    /** Returns whether a rank can be a neighbour among {@code size} ranks. */
    static boolean isNeighbor(final int rank, final int size) {
        return rank == Call.PROC_NULL || rank < size;
    }

    @Override
    public String toString() {
        return neighbors.toString();
    }
}
