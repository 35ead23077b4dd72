package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Pipelined exscan: segments travel up from rank 0. A rank receives its own result, and combines it with its contribution for the next rank.
 *
 * <p>Source: the linear pipeline, as in P. Sanders, J. L. Träff, Parallel prefix (scan) algorithms for MPI, Recent Advances in Parallel Virtual
 * Machine and Message Passing Interface, LNCS 4192, 2006, doi:10.1007/11846802_15.
 * <p>Idea: a segment is received into the result buffer, and combined into a copy of the contribution, which is sent on. A rank sends a segment
 * while it receives the next.
 * <pre>
 *   4 ranks, segment a     0 →a→ 1 →a→ 2 →a→ 3        -, (0), (0 1), and at 3: (0 1 2)
 * </pre>
 * <p>Cost for any p ranks, n bytes in s segments of one length, where combining a segment takes no longer than transferring one:
 * (p-2+s)(α + (n/s)β) + (p-2)(n/s)γ; (p-1)s messages.
 * <p>Needs: at least 2 ranks; any count; keeps the order of ranks. The receive buffer of rank 0 is not written.
 * <p>Memory: {@value ScratchSlots#PIPELINE_SLOTS} segments; none on the first and the last rank.
 */
final class ChainExscan implements Algorithm<Call.Scan> {
    static final String NAME = "chain";

    private final long segment;

    /** @param segment length of a segment in bytes */
    ChainExscan(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        final int rank = plan.rank();
        final int last = plan.size() - 1;
        final Segments segments = RingSegments.of(segment, call.bytes(), call.reduction().elementBytes());
        final long slot = rank == 0 || rank == last ? 0 : segments.longest(call.bytes());
        final ScratchSlots slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, slot);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (rank == 0) {
                plan.send(own, 1);
            } else if (rank == last) {
                plan.recv(out, rank - 1);
            } else {
                final BufferRange sum = slots.next(own.bytes());
                plan.copy(own, sum);
                plan.recv(out, rank - 1);
                plan.reduce(call.reduction(), out, sum);
                plan.send(sum, rank + 1);
            }
        }
    }
}
