package tutti.coll;

import java.util.Arrays;

/**
 * With whom a rank exchanges data in a neighbour collective: from whom it receives, and to whom it sends. A rank may appear several times,
 * the rank itself too, and {@link Call#PROC_NULL} stands where there is nobody.
 *
 * <p>The k-th place of b among the destinations of a is joined to the k-th place of a among the sources of b.
 *
 * <p>Immutable; equal when the lists are equal, so that it can be part of a key.
 */
public final class Neighbors {
    private final int[] sources;
    private final int[] destinations;

    private Neighbors(final int[] sources, final int[] destinations) {
        this.sources = sources;
        this.destinations = destinations;
    }

    /** Neighbours in the order in which messages meet; both arrays are copied. */
    public static Neighbors of(final int[] sources, final int[] destinations) {
        check(sources, "source");
        check(destinations, "destination");
        return new Neighbors(sources.clone(), destinations.clone());
    }

    private static void check(final int[] ranks, final String what) {
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] < 0 && ranks[i] != Call.PROC_NULL) {
                throw new IllegalArgumentException(what + " out of range: place=" + i + ", rank=" + ranks[i]);
            }
        }
    }

    /** How many places there are to receive from, empty ones included. */
    public int sources() {
        return sources.length;
    }

    /** How many places there are to send to, empty ones included. */
    public int destinations() {
        return destinations.length;
    }

    /** Who is at place {@code i} of the sources; {@link Call#PROC_NULL} for nobody. */
    public int source(final int i) {
        return sources[i];
    }

    /** Who is at place {@code i} of the destinations; {@link Call#PROC_NULL} for nobody. */
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
