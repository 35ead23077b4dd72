package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Ring allreduce: reduce-scatter around the ring, then allgather; where operands may not be swapped, twice around in rank order.
 *
 * <p>Source: P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, Journal of Parallel and Distributed
 * Computing 69(2), 2009, doi:10.1016/j.jpdc.2008.09.002.
 * <p>Idea: the data is cut into a block per rank. A block goes once around the ring and takes in every rank's contribution on the way, so it
 * ends as the result at the rank that it belongs to; then the results go around. The order in which a block takes in contributions begins
 * at another rank for each block, so the operation must commute. If it does not, see {@link OrderedChain}: segments go from rank p-1
 * down to 0, each rank putting its contribution to the left of what comes, and the result goes around once more. Both ways, an element is
 * put together on one way and copied to all, so every rank has the same bits.
 * <pre>
 *   4 ranks, what moves     step 0:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0      block 3 is what rank 0 has of it
 *                           step 1:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0      block 3 has taken in ranks 0 1
 *                           step 2:  0 →1→ 1 →2→ 2 →3→ 3 →0→ 0      block 3 has taken in ranks 0 1 2, and is whole at 3
 *                           then allgather as in {@link RingAllgather}
 *   in order                3 → 2 → 1 → 0 → 3 → 2 → 1
 * </pre>
 * <p>Cost for p ranks, n bytes, s segments of one length in each block of n/p, p = 2^k and other alike: s = 1: 2(p-1)(α + (n/p)β) + (p-1)(n/p)γ;
 * s > 1 and combining a segment takes no longer than moving one: 2(p-1)(sα + (n/p)β); 2p(p-1)s messages.
 * In order: see {@link OrderedChain}.
 * <p>Needs: 2 ranks or more; any count; operations of both kinds.
 * <p>Memory: none; in place one block, in place and in order {@value ScratchSlots#FOR_SEGMENTS} segments.
 */
final class RingAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "ring";

    private final long segment;
    private final RingOrder route;

    /**
     * @param segment bytes of a segment
     * @param route   of the ring
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
        final Blocks blocks = even(call.count(), element, plan.size());
        final Segments segments = Segments.of(segment, blocks, element);
        final Ring ring = route.from(plan);
        final RingReduction around = new RingReduction(plan, ring, call.reduction(), call.input(), blocks, segments);
        final BufferRange scratch = plan.scratch(call.inPlace() ? Segments.longest(blocks) : 0);
        final int[][] ready = around.plan((step, block) -> call.inPlace() ? new ReductionTarget(scratch.slice(0, blocks.bytes(block)), false, 0)
            : new ReductionTarget(blocks.in(Buffer.RECV, block), true, ReductionTarget.FRESH));
        final BufferRange own = blocks.in(Buffer.RECV, plan.rank());
        RingAllgather.plan(plan, ring, blocks, segments, own, ready, around::passedOn);
    }

    /** Blocks that differ by one element at most, the longer ones first. */
    static Blocks even(final long count, final long element, final int size) {
        final long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = (count / size + (i < count % size ? 1 : 0)) * element;
        }
        return Blocks.packed(lengths);
    }
}
