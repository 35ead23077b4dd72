package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Pipelined reduce: segments go along a chain that ends at the root, and each rank takes its contribution in.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: pipeline); the two chains are textbook.
 * <p>Idea: a rank combines and passes on a segment while it receives the next. The chain is the ring, from the rank after the root on. Where
 * operands may not be swapped, ranks above the root and ranks below it make a chain each, both from the highest rank down, so that a rank
 * puts its contribution to the left of what comes; the root puts the three parts together.
 * <pre>
 *   4 ranks, root 1     2 →a→ 3 →a→ 0 →a→ 1        (2), (2 3), (2 3 0), and at 1 all
 *   in order            3 →a→ 2 →a→ 1,  0 →a→ 1    (3), (2 3), and at 1: (1 2 3), (0), (0 1 2 3)
 * </pre>
 * <p>Cost for p ranks, n bytes in s segments of one length, where combining a segment takes no longer than moving one, p = 2^k and other alike:
 * (p-2+s)(α + (n/s)β) + (p-1)(n/s)γ; in order the same for root 0, for others at most (p-2+2s)(α + (n/s)β) where combining costs nothing, since
 * the root receives twice; (p-1)s messages.
 * <p>Needs: 2 ranks or more; any root, any count; operations of both kinds.
 * <p>Memory: {@value ScratchSlots#FOR_SEGMENTS} segments; where a rank only sends, and at the root unless in place or in order, none.
 */
final class ChainReduce implements Algorithm<Call.Reduce> {
    static final String NAME = "chain";
    private static final int NOBODY = -1;

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment bytes of a segment
     * @param route   of the ring
     */
    ChainReduce(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        if (call.reduction().isCommutative()) {
            final Ring ring = route.from(plan);
            if (plan.rank() == call.root()) {
                takeAll(call, plan, ring.left(), NOBODY);
            } else {
                pass(call, plan, ring.left() == call.root() ? NOBODY : ring.left(), ring.right());
            }
        } else {
            final int above = plan.rank() + 1 == plan.size() ? NOBODY : plan.rank() + 1;
            if (plan.rank() == call.root()) {
                takeAll(call, plan, above, call.root() == 0 ? NOBODY : 0);
            } else {
                pass(call, plan, above == call.root() ? NOBODY : above, plan.rank() == 0 ? call.root() : plan.rank() - 1);
            }
        }
    }

    /** Takes the contribution into what comes, and passes it on. */
    private void pass(final Call.Reduce call, final Plan plan, final int from, final int to) {
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes());
        final ScratchSlots slots = slots(call, plan, segments, from != NOBODY);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            if (from == NOBODY) {
                plan.send(own, to);
            } else {
                final ScratchSlots.Slot room = slots.next(own.bytes());
                final int sum = plan.reduce(call.reduction(), own, room.span(), plan.recv(room.span(), from, room.free()));
                slots.usedBy(room, plan.send(room.span(), to, sum));
            }
        }
    }

    private static ScratchSlots slots(final Call.Reduce call, final Plan plan, final Segments segments, final boolean needed) {
        return new ScratchSlots(plan, ScratchSlots.FOR_SEGMENTS, needed ? Math.min(segments.length(), call.bytes()) : 0);
    }

    /** As the root: takes what comes from higher ranks and from lower ones; either may be nobody, not both. */
    private void takeAll(final Call.Reduce call, final Plan plan, final int higher, final int lower) {
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes());
        final ScratchSlots slots = slots(call, plan, segments, call.inPlace() || lower != NOBODY);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (higher == NOBODY) {
                final int there = call.inPlace() ? NOBODY : plan.copy(own, out);
                takeLower(call, plan, slots, lower, out, there);
            } else if (lower == NOBODY && call.inPlace() && call.reduction().isCommutative()) {
                takeLower(call, plan, slots, higher, out, NOBODY);
            } else {
                final ScratchSlots.Slot room = call.inPlace() ? slots.next(own.bytes()) : ScratchSlots.once(out);
                int sum = plan.reduce(call.reduction(), own, room.span(), plan.recv(room.span(), higher, room.free()));
                sum = lower == NOBODY ? sum : takeLower(call, plan, slots, lower, room.span(), sum);
                if (call.inPlace()) {
                    slots.usedBy(room, plan.copy(room.span(), out, sum));
                }
            }
        }
    }

    /** Puts what comes to the left of what is there, after {@code there} if that is a task. */
    private static int takeLower(final Call.Reduce call, final Plan plan, final ScratchSlots slots, final int from, final BufferRange into,
        final int there) {
        final ScratchSlots.Slot room = slots.next(into.bytes());
        final int received = plan.recv(room.span(), from, room.free());
        return slots.usedBy(room, plan.reduce(call.reduction(), room.span(), into, there == NOBODY ? Dependencies.of(received)
            : Dependencies.of(there, received)));
    }
}
