package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
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
 * each block and the operation must commute. If it does not, segments travel from rank p-1 down to 0, and each rank combines its
 * contribution as the left operand. The chain runs down and not up, because a reduce task writes its result to the right operand: the contribution is
 * only read. From rank 0 the result travels to rank p-1 and down once more, beside later segments. In both forms an element is combined along one
 * path and copied to all ranks, so every rank has the same bits.
 * <pre>
 *   4 ranks, each sends to the next     rank 0    rank 1    rank 2    rank 3
 *   step 0                              block 3   block 0   block 1   block 2    block 3 has the contribution of rank 0
 *   step 1                              block 2   block 3   block 0   block 1    block 3 has those of ranks 0 1
 *   step 2                              block 1   block 2   block 3   block 0    block 3 has those of ranks 0 1 2; rank 3 adds its own
 *   then allgather as in {@link RingAllgather}
 *
 *   in rank order, each segment goes    3 → 2 → 1 → 0, and becomes (3), (2 3), (1 2 3), (0 1 2 3)
 *   and its result                      0 → 3 → 2 → 1
 * </pre>
 * <p>Cost for any p ranks, n bytes, s segments of one length in each block of n/p: s = 1: 2(p-1)(α + (n/p)β) + (p-1)(n/p)γ;
 * s > 1 where combining a segment takes no longer than transferring one: 2(p-1)(sα + (n/p)β); 2p(p-1)s messages.
 * In rank order with n bytes in s segments of one length: s ≤ p: (2p-3+s)(α + (n/s)β) + (p-1)(n/s)γ; s > p where combining costs nothing: at
 * most (2p-3+2s)(α + (n/s)β); 2(p-1)s messages.
 * <p>Needs: at least 2 ranks; any count; commutative and other operations.
 * <p>Memory: none; in place one block, in place and in rank order {@value ScratchSlots#PIPELINE_SLOTS} segments, and none at rank p-1.
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
        if (call.reduction().isCommutative()) {
            around(call, plan);
        } else {
            inOrder(call, plan);
        }
    }

    private void around(final Call.Allreduce call, final Plan plan) {
        final Reduction reduction = call.reduction();
        final Blocks blocks = new EvenPartition(call.bytes(), reduction.elementBytes(), plan.size()).layout();
        final Segments segments = RingSegments.of(segment, blocks, reduction.elementBytes());
        final Ring ring = route.from(plan);
        final BufferRange scratch = plan.scratch(call.inPlace() ? RingSegments.longest(blocks) : 0);
        BufferRange held = blocks.in(call.input().buffer(), ring.left());
        for (int step = 0; step < ring.size() - 1; step++) {
            for (int i = 0; i < segments.count(held.bytes()); i++) {
                plan.send(segments.of(held, i), ring.right());
            }
            final int block = ring.back(step + 2);
            held = blocks.in(Buffer.RECV, block);
            final BufferRange addend = call.inPlace() ? scratch.slice(0, held.bytes()) : blocks.in(Buffer.SEND, block);
            for (int i = 0; i < segments.count(held.bytes()); i++) {
                plan.recv(segments.of(call.inPlace() ? addend : held, i), ring.left());
                plan.reduce(reduction, segments.of(addend, i), segments.of(held, i));
            }
        }
        RingAllgather.around(plan, ring, blocks, segments, held);
    }

    private void inOrder(final Call.Allreduce call, final Plan plan) {
        final Segments segments = RingSegments.of(segment, call.bytes(), call.reduction().elementBytes());
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final int rank = plan.rank();
        final boolean isFirst = rank == plan.size() - 1;
        final long slot = call.inPlace() && !isFirst ? segments.longest(call.bytes()) : 0;
        final ScratchSlots slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, slot);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            BufferRange sum = own;
            if (!isFirst) {
                sum = call.inPlace() ? slots.next(own.bytes()) : out;
                plan.recv(sum, ring.right());
                plan.reduce(call.reduction(), own, sum);
            }
            if (rank > 0) {
                plan.send(sum, ring.left());
                plan.recv(out, ring.right());
            } else if (call.inPlace()) {
                plan.copy(sum, out);
            }
            if (rank != 1) {
                plan.send(out, ring.left());
            }
        }
    }
}
