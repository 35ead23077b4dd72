package tutti.coll.ring;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Pipelined reduce: segments travel along a chain that ends at the root, and each rank adds its contribution.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: pipeline; the two chains for the order of ranks are not from
 * there).
 * <p>Idea: a rank combines and sends a segment while it receives the next. The chain is the ring, from the rank after the root on. Where operands may
 * not be swapped, the ranks above the root and the ranks below it form a chain each, both from the highest rank down, so that a rank combines its
 * contribution as the left operand. The root combines the three parts.
 * <pre>
 *   4 ranks, root 1     2 →a→ 3 →a→ 0 →a→ 1        (2), (2 3), (2 3 0), and at 1 all
 *   in order            3 →a→ 2 →a→ 1,  0 →a→ 1    (3), (2 3), and at 1: (1 2 3), (0), (0 1 2 3)
 * </pre>
 * <p>Cost for any p ranks, n bytes in s segments of one length, where combining a segment takes no longer than transferring one:
 * (p-2+s)(α + (n/s)β) + (p-1)(n/s)γ; in rank order the same for root 0, and for other roots at most (p-2+2s)(α + (n/s)β) where combining costs
 * nothing, since the root receives twice; (p-1)s messages.
 * <p>Needs: at least 2 ranks; any root, any count; commutative and other operations.
 * <p>Memory: {@value ScratchSlots#PIPELINE_SLOTS} segments; none where a rank only sends, and none at the root unless in place or in rank order.
 */
final class ChainReduce implements Algorithm<Call.Reduce> {
    static final String NAME = "chain";
    private static final int NONE = -1;

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    ChainReduce(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final Segments segments = RingSegments.of(segment, call.bytes(), reduction.elementBytes());
        final boolean isRoot = plan.rank() == call.root();
        final Neighbours peers = reduction.isCommutative() ? onRing(call, plan) : inOrder(call, plan);
        final boolean addsInOut = isRoot && !call.inPlace();
        final boolean usesSlots = addsInOut ? peers.lower != NONE : isRoot || peers.higher != NONE;
        final ScratchSlots slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, usesSlots ? segments.longest(call.bytes()) : 0);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            BufferRange sum = addsInOut ? out : own;
            if (peers.higher != NONE) {
                sum = addsInOut ? out : slots.next(own.bytes());
                plan.recv(sum, peers.higher);
                plan.reduce(reduction, own, sum);
            } else if (addsInOut) {
                plan.copy(own, out);
            }
            if (peers.lower != NONE) {
                final BufferRange lower = slots.next(own.bytes());
                plan.recv(lower, peers.lower);
                plan.reduce(reduction, lower, sum);
            }
            if (!isRoot) {
                plan.send(sum, peers.next);
            } else if (!sum.equals(out)) {
                plan.copy(sum, out);
            }
        }
    }

    /**
     * A rank's peers; {@link #NONE} if there is no such.
     *
     * @param higher sends what the contribution is combined with as the left operand
     * @param lower  sends what the contribution is combined with as the right operand; only to the root
     * @param next   receives the sum
     */
    private record Neighbours(int higher, int lower, int next) {}

    private Neighbours onRing(final Call.Reduce call, final Plan plan) {
        final Ring ring = route.from(plan);
        if (plan.rank() != call.root()) {
            return new Neighbours(ring.left() == call.root() ? NONE : ring.left(), NONE, ring.right());
        }
        // in place, the contribution is the operand that the result replaces
        return call.inPlace() ? new Neighbours(NONE, ring.left(), NONE) : new Neighbours(ring.left(), NONE, NONE);
    }

    private static Neighbours inOrder(final Call.Reduce call, final Plan plan) {
        final int rank = plan.rank();
        final int root = call.root();
        final int higher = rank + 1 == plan.size() || rank + 1 == root ? NONE : rank + 1;
        return rank == root ? new Neighbours(higher, root == 0 ? NONE : 0, NONE) : new Neighbours(higher, NONE, rank == 0 ? root : rank - 1);
    }
}
