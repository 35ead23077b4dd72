package tutti.coll;

import java.util.Arrays;

/**
 * The neighbours of a rank in a neighbourhood collective: the sources from which it receives and the destinations to which it sends. A
 * rank, including this one, may appear several times. {@link Call#PROC_NULL} stands for a missing neighbour.
 *
 * <p>The k-th occurrence of b among the destinations of a is connected to the k-th occurrence of a among the sources of b.
 *
 * <p>Immutable. Neighbours are equal if both lists are equal, so they can be part of a key.
 */
public final class Neighbors {
    private final int[] sources;
    private final int[] destinations;

    private Neighbors(final int[] sources, final int[] destinations) {
        this.sources = sources;
        this.destinations = destinations;
    }

    /**
     * Returns neighbours with these lists, in the order in which blocks and messages match. Both arrays are copied.
     *
     * @throws IllegalArgumentException if an element is neither a rank nor {@link Call#PROC_NULL}
     */
    public static Neighbors of(final int[] sources, final int[] destinations) {
        check(sources, "source");
        check(destinations, "destination");
        return new Neighbors(sources.clone(), destinations.clone());
    }

    private static void check(final int[] ranks, final String what) {
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] < 0 && ranks[i] != Call.PROC_NULL) {
                throw new IllegalArgumentException(what + " out of range: index=" + i + ", rank=" + ranks[i]);
            }
        }
    }

    /** Returns the number of sources, including missing ones. */
    public int sources() {
        return sources.length;
    }

    /** Returns the number of destinations, including missing ones. */
    public int destinations() {
        return destinations.length;
    }

    /** Returns the rank of source {@code i}, or {@link Call#PROC_NULL} if it is missing. */
    public int source(final int i) {
        return sources[i];
    }

    /** Returns the rank of destination {@code i}, or {@link Call#PROC_NULL} if it is missing. */
    public int destination(final int i) {
        return destinations[i];
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Neighbors n && Arrays.equals(sources, n.sources) && Arrays.equals(destinations, n.destinations);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(sources) + Arrays.hashCode(destinations);
    }

    @Override
    public String toString() {
        return "from " + Arrays.toString(sources) + " to " + Arrays.toString(destinations);
    }
}
