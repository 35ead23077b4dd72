package tutti.coll.ring;

import java.util.Comparator;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Plan;

/** Order in which a ring visits the ranks; the same on all ranks. Immutable. */
final class RingOrder {
    /** Order of the rank numbers; for any number of ranks. */
    static final RingOrder BY_RANK = new RingOrder(null, null);

    private final int @Nullable [] ranks;
    private final int @Nullable [] positions;

    private RingOrder(final int @Nullable [] ranks, final int @Nullable [] positions) {
        this.ranks = ranks;
        this.positions = positions;
    }

    /** Returns an order by node, so that as few neighbours as possible are on different nodes; within a node by rank. */
    static RingOrder byNode(final int size, final IntUnaryOperator nodeOf) {
        final int[] ranks = IntStream.range(0, size).boxed().sorted(Comparator.comparingInt(nodeOf::applyAsInt)).mapToInt(r -> r).toArray();
        if (IntStream.range(0, size).allMatch(i -> ranks[i] == i)) {
            return BY_RANK;
        }
        final int[] positions = new int[size];
        for (int i = 0; i < size; i++) {
            positions[ranks[i]] = i;
        }
        return new RingOrder(ranks, positions);
    }

    /** Returns the ring as seen from a plan's rank. */
    Ring from(final Plan plan) {
        return new Ring(this, positions == null ? plan.rank() : positions[plan.rank()], plan.size());
    }

    /** Returns the rank at a position, from 0. */
    int rank(final int position) {
        return ranks == null ? position : ranks[position];
    }
}
