package tutti.coll.ring;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.ScratchSlots;
import tutti.coll.patterns.Segments;

/**
 * Reductions in rank order: segments travel from rank p-1 down to rank 0, and each rank combines its contribution as the left operand.
 *
 * <p>Source: pipelining along a chain, as in {@link ChainReduce}.
 * <p>Idea: the chain runs down and not up, because a reduce task writes its result to the right operand. So the contribution is only read, and the
 * sum stays where it was received. From rank 0 the result of allreduce is sent around the ring to rank p-1 and down to rank 1. The result of
 * reduce-scatter is sent to its owner directly. Both overlap with later segments that travel down.
 * <pre>
 *   4 ranks, segment a         3 →a→ 2 →a→ 1 →a→ 0           (3), (2 3), (1 2 3), and at 0: (0 1 2 3)
 *   allreduce                  0 →a→ 3 →a→ 2 →a→ 1
 *   reduce-scatter             0 →a→ its owner
 * </pre>
 * <p>Cost for any p ranks: allreduce of n bytes in s segments of one length: s ≤ p: (2p-3+s)(α + (n/s)β) + (p-1)(n/s)γ; s > p where combining costs
 * nothing: at most (2p-3+2s)(α + (n/s)β); 2(p-1)s messages. Reduce-scatter of blocks of m bytes in s segments of one length, where combining costs
 * nothing: s = 1 and p > 3: 2p(α + mβ); other: at most 2p(sα + mβ); (p² - 1)s messages.
 * <p>Needs: at least 2 ranks; any count, any block sizes.
 * <p>Memory: {@value ScratchSlots#PIPELINE_SLOTS} segments; none for allreduce unless in place, and none at rank p-1.
 *
 * <p>For one plan.
 */
final class OrderedChain {
    private final Plan plan;
    private final Reduction reduction;
    private final int rank;
    private final boolean isLast;
    private final ScratchSlots slots;

    private OrderedChain(final Plan plan, final Reduction reduction, final long slotBytes) {
        this.plan = plan;
        this.reduction = reduction;
        this.rank = plan.rank();
        this.isLast = rank == plan.size() - 1;
        this.slots = new ScratchSlots(plan, ScratchSlots.PIPELINE_SLOTS, isLast ? 0 : slotBytes);
    }

    static void allreduce(final Call.Allreduce call, final Plan plan, final long segment) {
        final Segments segments = RingSegments.of(segment, call.bytes(), call.reduction().elementBytes());
        final long slot = call.inPlace() ? segments.longest(call.bytes()) : 0;
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), slot);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            chain.allreduce(segments.of(call.input(), i), segments.of(out, i), call.inPlace());
        }
    }

    private void allreduce(final BufferRange own, final BufferRange out, final boolean inPlace) {
        final int result;
        if (isLast) {
            final int sent = plan.send(own, rank - 1);
            result = plan.recv(out, 0, inPlace ? Dependencies.of(sent) : Dependencies.NONE);
        } else {
            final ScratchSlots.Slot slot = inPlace ? slots.next(own.bytes()) : ScratchSlots.once(out);
            final int sum = combine(own, slot);
            if (rank > 0) {
                final int sent = slots.usedBy(slot, plan.send(slot.span(), rank - 1, sum));
                result = plan.recv(out, rank + 1, inPlace ? sum : sent);
            } else {
                result = inPlace ? slots.usedBy(slot, plan.copy(slot.span(), out, sum)) : sum;
            }
        }
        if (rank != 1) {
            plan.send(out, RingOrder.BY_RANK.from(plan).left(), result);
        }
    }

    static void reduceScatter(final Call.ReduceScatter call, final Plan plan, final long segment) {
        final Blocks blocks = call.blocks();
        final Segments segments = RingSegments.of(segment, blocks, call.reduction().elementBytes());
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), Math.min(segments.length(), RingSegments.longest(blocks)));
        final PendingReads reads = new PendingReads();
        for (int block = 0; block < blocks.count(); block++) {
            final BufferRange own = call.input().slice(blocks.offset(block), blocks.bytes(block));
            for (int i = 0; i < segments.count(own.bytes()); i++) {
                final BufferRange part = segments.of(own, i);
                final BufferRange out = segments.of(Buffer.RECV.at(0, own.bytes()), i);
                if (plan.rank() == 0) {
                    chain.sendToOwner(part, out, block, call.inPlace());
                } else {
                    reads.add(part, chain.sendDown(part));
                    if (plan.rank() == block) {
                        plan.recv(out, 0, call.inPlace() ? reads.overlapping(out) : Dependencies.NONE);
                    }
                }
            }
        }
    }

    /** Returns the task after which the contribution may be overwritten. */
    private int sendDown(final BufferRange own) {
        if (isLast) {
            return plan.send(own, rank - 1);
        }
        final ScratchSlots.Slot slot = slots.next(own.bytes());
        final int sum = combine(own, slot);
        slots.usedBy(slot, plan.send(slot.span(), rank - 1, sum));
        return sum;
    }

    /** Computes the result, as rank 0, and sends it to its owner. */
    private void sendToOwner(final BufferRange own, final BufferRange out, final int owner, final boolean inPlace) {
        final ScratchSlots.Slot slot = owner == 0 && !inPlace ? ScratchSlots.once(out) : slots.next(own.bytes());
        final int sum = combine(own, slot);
        if (owner > 0) {
            slots.usedBy(slot, plan.send(slot.span(), owner, sum));
        } else if (inPlace) {
            slots.usedBy(slot, plan.copy(slot.span(), out, sum));
        }
    }

    /** Receives a segment from the rank above and combines the contribution with it. */
    private int combine(final BufferRange own, final ScratchSlots.Slot slot) {
        return plan.reduce(reduction, own, slot.span(), plan.recv(slot.span(), rank + 1, slot.after()));
    }
}
