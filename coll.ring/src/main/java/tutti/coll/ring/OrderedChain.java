package tutti.coll.ring;

import java.util.Arrays;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;

/**
 * Reductions that keep the order of ranks: segments go from rank p-1 down to rank 0, and each rank puts its contribution to the left of what comes.
 *
 * <p>Down and not up, because a reduce task leaves its result where the higher operand was: so the contribution is only read and the sum
 * stays where it was received. From rank 0 the result of allreduce goes back up the chain, that of reduce-scatter to each owner
 * at once. Both happen while later segments come down. For one plan.
 *
 * <p>Cost for p ranks:
 * see RingCostTest
 */
final class OrderedChain {
    /** Segments of scratch memory that take turns. */
    static final int SLOTS = 4;

    private final Plan plan;
    private final Reduction reduction;
    private final long slotBytes;
    private final Span scratch;
    private final int[][] users = new int[SLOTS][];
    private int turn;

    private OrderedChain(final Plan plan, final Reduction reduction, final long slotBytes, final boolean needsScratch) {
        this.plan = plan;
        this.reduction = reduction;
        this.slotBytes = slotBytes;
        this.scratch = needsScratch && !isTop() ? plan.scratch(SLOTS * slotBytes) : null;
        Arrays.fill(users, Tasks.NONE);
    }

    private boolean isTop() {
        return plan.rank() == plan.size() - 1;
    }

    /** The next slot, and in {@link #users} what must be done before it is used again. */
    private Span nextSlot(final long bytes) {
        turn = (turn + 1) % SLOTS;
        return scratch.slice(turn * slotBytes, bytes);
    }

    private int combine(final Span own, final Span room, final int... free) {
        return plan.reduce(reduction, own, room, plan.recv(room, plan.rank() + 1, free));
    }

    static void allreduce(final Call.Allreduce call, final Plan plan, final long segment) {
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes());
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), Math.min(segments.length(), call.bytes()), call.inPlace());
        final Span out = Buffer.RECV.at(0, call.bytes());
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            chain.allreduce(segments.of(call.input(), i), segments.of(out, i), call.inPlace());
        }
    }

    private void allreduce(final Span own, final Span out, final boolean inPlace) {
        final int rank = plan.rank();
        if (isTop()) {
            final int sent = plan.send(own, rank - 1);
            plan.recv(out, rank - 1, inPlace ? Tasks.of(sent) : Tasks.NONE);
            return;
        }
        final Span room = inPlace ? nextSlot(own.bytes()) : out;
        final int sum = combine(own, room, inPlace ? users[turn] : Tasks.NONE);
        if (rank > 0) {
            final int sent = plan.send(room, rank - 1, sum);
            users[turn] = Tasks.of(sent);
            plan.send(out, rank + 1, plan.recv(out, rank - 1, inPlace ? sum : sent));
        } else {
            final int result = inPlace ? plan.copy(room, out, sum) : sum;
            users[turn] = Tasks.of(result);
            plan.send(out, rank + 1, result);
        }
    }

    static void reduceScatter(final Call.ReduceScatter call, final Plan plan, final long segment) {
        final Blocks blocks = call.blocks();
        final Segments segments = Segments.of(segment, blocks, call.reduction().elementBytes());
        final OrderedChain chain = new OrderedChain(plan, call.reduction(), Math.min(segments.length(), Segments.longest(blocks)), true);
        final Readers readers = new Readers();
        for (int block = 0; block < blocks.count(); block++) {
            final Span own = call.input().slice(blocks.offset(block), blocks.bytes(block));
            for (int i = 0; i < segments.count(own.bytes()); i++) {
                final Span part = segments.of(own, i);
                final Span out = segments.of(Buffer.RECV.at(0, own.bytes()), i);
                chain.reduceScatter(block, part, out, call.inPlace(), readers);
            }
        }
    }

    private void reduceScatter(final int owner, final Span own, final Span out, final boolean inPlace, final Readers readers) {
        final int rank = plan.rank();
        if (isTop()) {
            readers.add(own, plan.send(own, rank - 1));
        } else if (rank > 0) {
            final Span room = nextSlot(own.bytes());
            final int sum = combine(own, room, users[turn]);
            users[turn] = Tasks.of(plan.send(room, rank - 1, sum));
            readers.add(own, sum);
        } else if (owner > 0) {
            final Span room = nextSlot(own.bytes());
            users[turn] = Tasks.of(plan.send(room, owner, combine(own, room, users[turn])));
        } else if (inPlace) {
            final Span room = nextSlot(own.bytes());
            users[turn] = Tasks.of(plan.copy(room, out, combine(own, room, users[turn])));
        } else {
            combine(own, out);
        }
        if (rank == owner && rank > 0) {
            plan.recv(out, 0, inPlace ? readers.of(out) : Tasks.NONE);
        }
    }
}
