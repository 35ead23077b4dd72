package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Ring reduce_scatter and reduce_scatter_block: every block travels once around the ring and every rank adds its contribution. Where operands may not
 * be swapped, all blocks travel down a chain of the ranks, and from rank 0 to their owners.
 *
 * <p>Source: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective communication: theory, practice, and experience, Concurrency and
 * Computation: Practice and Experience 19(13), 2007, doi:10.1002/cpe.1206 (there: bucket reduce-scatter).
 * <p>Idea: in step t rank r sends block r-t-1 as combined so far, receives block r-t-2, all modulo p, and combines its contribution with it. So a
 * block starts at the rank after its owner, and the operation must commute. If it does not, see {@link OrderedChain}: segments travel
 * from rank p-1 down to 0, each rank combines its contribution as the left operand, and rank 0 sends each segment to its owner.
 * <pre>
 *   4 ranks, blocks sent    step 0:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0
 *                           step 1:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0
 *                           step 2:  0 →1→ 1 →2→ 2 →3→ 3 →0→ 0
 *   in order                3 → 2 → 1 → 0 [0 1 2 3], then 0 → 1 [1], 0 → 2 [2], 0 → 3 [3]
 * </pre>
 * <p>Cost for any p ranks, blocks of m bytes in s segments of one length: s = 1: (p-1)(α + mβ + mγ); s > 1 where combining a
 * segment takes no longer than transferring one: (p-1)(sα + mβ) + (m/s)γ; p(p-1)s messages. In rank order: see {@link OrderedChain}.
 * <p>Needs: at least 2 ranks; any block sizes; commutative and other operations.
 * <p>Memory: twice the longest block, in place once; in rank order {@value ScratchSlots#PIPELINE_SLOTS} segments.
 */
final class RingReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "ring";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    RingReduceScatter(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        if (call.blocks().total() == 0) {
            return;
        }
        if (call.reduction().isCommutative()) {
            around(call, plan);
        } else {
            OrderedChain.reduceScatter(call, plan, segment);
        }
    }

    private void around(final Call.ReduceScatter call, final Plan plan) {
        final Blocks blocks = call.blocks();
        final Segments segments = RingSegments.of(segment, blocks, call.reduction().elementBytes());
        final RingReduction around = new RingReduction(plan, route.from(plan), call.reduction(), call.input(), blocks, segments);
        final long longest = RingSegments.longest(blocks);
        final int last = plan.size() - 2;
        final BufferRange out = Buffer.RECV.at(0, blocks.bytes(plan.rank()));
        if (!call.inPlace()) {
            final int slots = Math.min(2, last);
            final BufferRange scratch = plan.scratch(slots * longest);
            around.plan((step, block) -> step == last ? new ReductionTarget(out, true, ReductionTarget.SINGLE_USE)
                : new ReductionTarget(scratch.slice(step % 2 * longest, blocks.bytes(block)), true, step % 2));
            return;
        }
        final BufferRange scratch = plan.scratch(longest);
        around.plan((step, block) -> new ReductionTarget(scratch.slice(0, blocks.bytes(block)), step == last, 0));
        if (out.bytes() > 0) {
            // the result replaces contributions that must all have been read
            plan.fence();
            plan.copy(scratch.slice(0, out.bytes()), out);
        }
    }
}
