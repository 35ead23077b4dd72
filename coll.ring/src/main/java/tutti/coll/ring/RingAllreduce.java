package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.EvenPartition;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Ring allreduce: reduce-scatter around the ring, then allgather. Where operands may not be swapped: twice around in rank order.
 *
 * <p>Source: P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, Journal of Parallel and Distributed
 * Computing 69(2), 2009, doi:10.1016/j.jpdc.2008.09.002.
 * <p>Idea: the data is divided into one block per rank. A block travels once around the ring, and every rank adds its contribution, so it ends as the
 * result at its owner. Then the results travel around the ring. Each block starts at another rank, so contributions are combined in another order for
 * each block and the operation must commute. If it does not, see {@link OrderedChain}: segments travel from rank p-1 down to 0, each rank combines
 * its contribution as the left operand, and the result travels around once more. In both forms an element is combined along one path and copied to
 * all ranks, so every rank has the same bits.
 *   4 ranks, blocks sent    step 0:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0      block 3 has the contribution of rank 0
 *                           step 1:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0      block 3 has those of ranks 0 1
 *                           step 2:  0 →1→ 1 →2→ 2 →3→ 3 →0→ 0      block 3 has those of ranks 0 1 2, and is complete at 3
 *                           then allgather as in {@link RingAllgather}
 *   in order                3 → 2 → 1 → 0 → 3 → 2 → 1
 * </pre>
 * <p>Cost for any p ranks, n bytes, s segments of one length in each block of n/p: s = 1: 2(p-1)(α + (n/p)β) + (p-1)(n/p)γ;
 * s > 1 where combining a segment takes no longer than transferring one: 2(p-1)(sα + (n/p)β); 2p(p-1)s messages.
 * In rank order: see {@link OrderedChain}.
 * <p>Needs: at least 2 ranks; any count; commutative and other operations.
 * <p>Memory: none; in place one block, in place and in rank order {@value ScratchSlots#PIPELINE_SLOTS} segments.
 */
final class RingAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "ring";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment length of a segment in bytes
     * @param route   order of the ring
     */
    RingAllreduce(final long segment, final RingOrder route) {
        this.segment = segment;
        this.route = route;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        if (call.count() == 0) {
            return;
        }
        if (call.reduction().isCommutative()) {
            around(call, plan);
        } else {
            OrderedChain.allreduce(call, plan, segment);
        }
    }

    private void around(final Call.Allreduce call, final Plan plan) {
        final long element = call.reduction().elementBytes();
        final Blocks blocks = new EvenPartition(call.bytes(), element, plan.size()).layout();
        final Segments segments = RingSegments.of(segment, blocks, element);
        final Ring ring = route.from(plan);
        final RingReduction around = new RingReduction(plan, ring, call.reduction(), call.input(), blocks, segments);
        final BufferRange scratch = plan.scratch(call.inPlace() ? RingSegments.longest(blocks) : 0);
        final int[][] ready = around.plan((step, block) -> call.inPlace() ? new ReductionTarget(scratch.slice(0, blocks.bytes(block)), false, 0)
            : new ReductionTarget(blocks.in(Buffer.RECV, block), true, ReductionTarget.SINGLE_USE));
        final BufferRange own = blocks.in(Buffer.RECV, plan.rank());
        RingAllgather.plan(plan, ring, blocks, segments, own, ready, around::sends);
    }
}
