package tutti.coll.ring;

import java.util.Comparator;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import tutti.coll.Plan;

/** In which order a ring visits the ranks; the same on all ranks. Immutable. */
final class RingOrder {
    /** As ranks are numbered; for any number of ranks. */
    static final RingOrder BY_RANK = new RingOrder(null, null);

    private final int[] ranks;
    private final int[] places;

    private RingOrder(final int[] ranks, final int[] places) {
        this.ranks = ranks;
        this.places = places;
    }

    /** Node after node, so that as few neighbours as can be are on different nodes; within a node by rank. */
    static RingOrder byNode(final int size, final IntUnaryOperator nodeOf) {
        final int[] ranks = IntStream.range(0, size).boxed().sorted(Comparator.comparingInt(nodeOf::applyAsInt)).mapToInt(r -> r).toArray();
        if (IntStream.range(0, size).allMatch(i -> ranks[i] == i)) {
            return BY_RANK;
        }
        final int[] places = new int[size];
        for (int i = 0; i < size; i++) {
            places[ranks[i]] = i;
        }
        return new RingOrder(ranks, places);
    }

    /** The ring from a plan's rank on. */
    Ring from(final Plan plan) {
        return new Ring(this, places == null ? plan.rank() : places[plan.rank()], plan.size());
    }

    /** The rank at a place, from 0. */
    int rank(final int place) {
        return ranks == null ? place : ranks[place];
    }
}
