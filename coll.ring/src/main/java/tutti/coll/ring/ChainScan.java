package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Pipelined scan: segments travel up from rank 0, and each rank adds its contribution and keeps what it sends on.
 *
 * <p>Source: the linear pipeline, as in P. Sanders, J. L. Träff, Parallel prefix (scan) algorithms for MPI, Recent Advances in Parallel Virtual
 * Machine and Message Passing Interface, LNCS 4192, 2006, doi:10.1007/11846802_15.
 * <p>Idea: a rank receives the result of the rank below. With its own contribution as the right operand that is its own result, which the rank above
 * needs. A rank sends a segment while it receives the next.
 * <pre>
 *   4 ranks, segment a     0 →a→ 1 →a→ 2 →a→ 3        (0), (0 1), (0 1 2), and at 3: (0 1 2 3)
 * </pre>
 * <p>Cost for any p ranks, n bytes in s segments of one length, where combining a segment takes no longer than transferring one:
 * (p-2+s)(α + (n/s)β) + (p-1)(n/s)γ; (p-1)s messages.
 * <p>Needs: at least 2 ranks; any count; keeps the order of ranks.
 * <p>Memory: {@value ScratchSlots#PIPELINE_SLOTS} segments; none at rank 0, nor where the operation commutes and the call is not in place.
 */
final class ChainScan implements Algorithm<Call.Scan> {
    static final String NAME = "chain";

    private final long segment;

    /** @param segment length of a segment in bytes */
    ChainScan(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        final Reduction reduction = call.reduction();
        final int rank = plan.rank();
        final Segments segments = RingSegments.of(segment, call.bytes(), reduction.elementBytes());
        final boolean swaps = reduction.isCommutative() && !call.inPlace();
        final ScratchSlots slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, swaps || rank == 0 ? 0 : segments.longest(call.bytes()));
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (rank == 0) {
                plan.send(own, 1);
                if (!call.inPlace()) {
                    plan.copy(own, out);
                }
            } else if (swaps) {
                plan.recv(out, rank - 1);
                plan.reduce(reduction, own, out);
            } else {
                final BufferRange lower = slots.next(own.bytes());
                plan.recv(lower, rank - 1);
                if (!call.inPlace()) {
                    plan.copy(own, out);
                }
                plan.reduce(reduction, lower, out);
            }
            if (rank > 0 && rank < plan.size() - 1) {
                plan.send(out, rank + 1);
            }
        }
    }
}
