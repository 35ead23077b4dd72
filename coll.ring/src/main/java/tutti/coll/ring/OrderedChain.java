package tutti.coll.ring;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Reductions that keep the order of ranks: segments go from rank p-1 down to rank 0, and each rank puts its contribution to the left of what comes.
 *
 * <p>Source: textbook pipelining.
 * <p>Idea: down and not up, because a reduce task leaves its result where the higher operand was; so the contribution is only read and the
 * sum stays where it was received. From rank 0 the result of allreduce goes on around the ring to rank p-1 and down to rank 1, that of
 * reduce-scatter to its owner at once. Both happen while later segments come down.
 * <pre>
 *   4 ranks, segment a         3 →a→ 2 →a→ 1 →a→ 0           (3), (2 3), (1 2 3), and at 0: (0 1 2 3)
 *   allreduce                  0 →a→ 3 →a→ 2 →a→ 1
 *   reduce-scatter             0 →a→ its owner
 * </pre>
 * <p>Cost for p ranks, p = 2^k and other alike: allreduce of n bytes in s segments of one length: s ≤ p: (2p-3+s)(α + (n/s)β) + (p-1)(n/s)γ; s > p
 * and combining costs nothing: at most (2p-3+2s)(α + (n/s)β); 2(p-1)s messages. Reduce-scatter of blocks of m bytes in s segments of one
 * length, where combining costs nothing: s = 1 and p > 3: 2p(α + mβ); other: at most 2p(sα + mβ); (p² - 1)s messages.
 * <p>Needs: 2 ranks or more; any count, any block sizes.
 * <p>Memory: {@value ScratchSlots#FOR_SEGMENTS} segments; none for allreduce unless in place, and none at rank p-1.
 *
 * <p>For one plan.
 */
final class OrderedChain {
    private final Plan plan;
    private final Reduction reduction;
    private final int rank;
    private final boolean isTop;
    private final ScratchSlots slots;

    private OrderedChain(final Plan plan, final Reduction reduction, final long slotBytes) {
        this.plan = plan;
        this.reduction = reduction;
        this.rank = plan.rank();
        this.isTop = rank == plan.size() - 1;
        this.slots = new ScratchSlots(plan, ScratchSlots.FOR_SEGMENTS, isTop ? 0 : slotBytes);
    }

    static void allreduce(final Call.Allreduce call, final Plan plan, final long segment) {
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes());
        final long slot = call.inPlace() ? Math.min(segments.length(), call.bytes()) : 0;
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), slot);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            chain.allreduce(segments.of(call.input(), i), segments.of(out, i), call.inPlace());
        }
    }

    private void allreduce(final BufferRange own, final BufferRange out, final boolean inPlace) {
        final int result;
        if (isTop) {
            final int sent = plan.send(own, rank - 1);
            result = plan.recv(out, 0, inPlace ? Dependencies.of(sent) : Dependencies.NONE);
        } else {
            final ScratchSlots.Slot room = inPlace ? slots.next(own.bytes()) : ScratchSlots.once(out);
            final int sum = combine(own, room);
            if (rank > 0) {
                final int sent = slots.usedBy(room, plan.send(room.span(), rank - 1, sum));
                result = plan.recv(out, rank + 1, inPlace ? sum : sent);
            } else {
                result = inPlace ? slots.usedBy(room, plan.copy(room.span(), out, sum)) : sum;
            }
        }
        if (rank != 1) {
            plan.send(out, RingOrder.BY_RANK.from(plan).left(), result);
        }
    }

    static void reduceScatter(final Call.ReduceScatter call, final Plan plan, final long segment) {
        final Blocks blocks = call.blocks();
        final Segments segments = Segments.of(segment, blocks, call.reduction().elementBytes());
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), Math.min(segments.length(), Segments.longest(blocks)));
        final PendingReads readers = new PendingReads();
        for (int block = 0; block < blocks.count(); block++) {
            final BufferRange own = call.input().slice(blocks.offset(block), blocks.bytes(block));
            for (int i = 0; i < segments.count(own.bytes()); i++) {
                final BufferRange part = segments.of(own, i);
                final BufferRange out = segments.of(Buffer.RECV.at(0, own.bytes()), i);
                if (plan.rank() == 0) {
                    chain.deal(part, out, block, call.inPlace());
                } else {
                    readers.add(part, chain.passDown(part));
                    if (plan.rank() == block) {
                        plan.recv(out, 0, call.inPlace() ? readers.of(out) : Dependencies.NONE);
                    }
                }
            }
        }
    }

    /** Returns the task after which the contribution may be overwritten. */
    private int passDown(final BufferRange own) {
        if (isTop) {
            return plan.send(own, rank - 1);
        }
        final ScratchSlots.Slot room = slots.next(own.bytes());
        final int sum = combine(own, room);
        slots.usedBy(room, plan.send(room.span(), rank - 1, sum));
        return sum;
    }

    /** As rank 0: makes the result and gives it to its owner. */
    private void deal(final BufferRange own, final BufferRange out, final int owner, final boolean inPlace) {
        final ScratchSlots.Slot room = owner == 0 && !inPlace ? ScratchSlots.once(out) : slots.next(own.bytes());
        final int sum = combine(own, room);
        if (owner > 0) {
            slots.usedBy(room, plan.send(room.span(), owner, sum));
        } else if (inPlace) {
            slots.usedBy(room, plan.copy(room.span(), out, sum));
        }
    }

    /** Receives what comes down, and takes the contribution in. */
    private int combine(final BufferRange own, final ScratchSlots.Slot room) {
        return plan.reduce(reduction, own, room.span(), plan.recv(room.span(), rank + 1, room.free()));
    }
}
