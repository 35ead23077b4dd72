package tutti.coll.ring;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
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
        if (reduction.isCommutative()) {
            final Ring ring = route.from(plan);
            if (plan.rank() == call.root()) {
                combineAtRoot(call, reduction, plan, ring.left(), NONE);
            } else {
                combineAndSend(call, reduction, plan, ring.left() == call.root() ? NONE : ring.left(), ring.right());
            }
        } else {
            final int above = plan.rank() + 1 == plan.size() ? NONE : plan.rank() + 1;
            if (plan.rank() == call.root()) {
                combineAtRoot(call, reduction, plan, above, call.root() == 0 ? NONE : 0);
            } else {
                combineAndSend(call, reduction, plan, above == call.root() ? NONE : above, plan.rank() == 0 ? call.root() : plan.rank() - 1);
            }
        }
    }

    /** Combines the contribution with the received segments, and sends them on. */
    private void combineAndSend(final Call.Reduce call, final Reduction reduction, final Plan plan, final int from, final int to) {
        final Segments segments = RingSegments.of(segment, call.bytes(), reduction.elementBytes());
        final ScratchSlots slots = slots(call, plan, segments, from != NONE);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            if (from == NONE) {
                plan.send(own, to);
            } else {
                final ScratchSlots.Slot slot = slots.next(own.bytes());
                final int sum = plan.reduce(reduction, own, slot.span(), plan.recv(slot.span(), from, slot.after()));
                slots.usedBy(slot, plan.send(slot.span(), to, sum));
            }
        }
    }

    private static ScratchSlots slots(final Call.Reduce call, final Plan plan, final Segments segments, final boolean needed) {
        return new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, needed ? segments.longest(call.bytes()) : 0);
    }

    /** Combines the contribution with the segments from higher ranks and from lower ranks, as the root; either rank may be absent, but not both. */
    private void combineAtRoot(final Call.Reduce call, final Reduction reduction, final Plan plan, final int higher, final int lower) {
        final Segments segments = RingSegments.of(segment, call.bytes(), reduction.elementBytes());
        final ScratchSlots slots = slots(call, plan, segments, call.inPlace() || lower != NONE);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (higher == NONE) {
                final int there = call.inPlace() ? NONE : plan.copy(own, out);
                combineLower(reduction, plan, slots, lower, out, there);
            } else if (lower == NONE && call.inPlace() && reduction.isCommutative()) {
                combineLower(reduction, plan, slots, higher, out, NONE);
            } else {
                final ScratchSlots.Slot slot = call.inPlace() ? slots.next(own.bytes()) : ScratchSlots.once(out);
                int sum = plan.reduce(reduction, own, slot.span(), plan.recv(slot.span(), higher, slot.after()));
                sum = lower == NONE ? sum : combineLower(reduction, plan, slots, lower, slot.span(), sum);
                if (call.inPlace()) {
                    slots.usedBy(slot, plan.copy(slot.span(), out, sum));
                }
            }
        }
    }

    /** Combines received segments as the left operand with {@code into}, after the task {@code there} unless that is absent. */
    private static int combineLower(final Reduction reduction, final Plan plan, final ScratchSlots slots, final int from, final BufferRange into,
        final int there) {
        final ScratchSlots.Slot slot = slots.next(into.bytes());
        final int received = plan.recv(slot.span(), from, slot.after());
        return slots.usedBy(slot, plan.reduce(reduction, slot.span(), into, there == NONE ? Dependencies.of(received)
            : Dependencies.of(there, received)));
    }
}
