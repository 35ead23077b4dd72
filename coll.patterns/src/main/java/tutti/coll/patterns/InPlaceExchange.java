package tutti.coll.patterns;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Task;

/**
 * Alltoall, alltoallv and alltoallw in place. In round s, ranks whose sum is s modulo p swap their blocks. Each receives into scratch memory, and
 * copies from there after its own block was sent. Every rank meets every other in p rounds, and is idle in the round in which it would meet itself.
 * Messages of a round wait for earlier rounds only, so there is no cycle of ranks that wait for one another.
 */
public final class InPlaceExchange {
    private InPlaceExchange() {}

    /** Plans at most {@code throttle} rounds at once. */
    public static void inSteps(final Blocks blocks, final Plan plan, final int throttle) {
        plan(blocks, plan, throttle, peer -> true, new Throttle(throttle), true);
    }

    /** Plans a number of receives at once, and of sends, which do not wait for receives. */
    public static void scattered(final Blocks blocks, final Plan plan, final int receives, final int sends) {
        scattered(blocks, plan, receives, sends, peer -> true);
    }

    /** Plans as {@link #scattered(Blocks, Plan, int, int)}, with some of the other ranks alone. */
    public static void scattered(final Blocks blocks, final Plan plan, final int receives, final int sends, final IntPredicate peers) {
        plan(blocks, plan, receives, peers, new Throttle(sends), false);
    }

    /** @param inSteps whether a send waits for the whole of an earlier round, not for its send alone */
    private static void plan(final Blocks blocks, final Plan plan, final int receives, final IntPredicate with, final Throttle sends,
        final boolean inSteps) {
        final int rank = plan.rank();
        final int[] peers = IntStream.range(0, plan.size()).map(round -> CyclicRanks.partner(rank, round, plan.size()))
            .filter(peer -> peer != rank && blocks.bytes(peer) > 0 && with.test(peer)).toArray();
        if (peers.length == 0) {
            return;
        }
        final ScratchSlots slots = new ScratchSlots(plan, Math.min(receives, peers.length), IntStream.of(peers).mapToLong(blocks::bytes).max()
            .orElse(0));
        for (final int peer : peers) {
            final BufferRange block = blocks.in(Buffer.RECV, peer);
            final BufferRange slot = slots.next(block.bytes());
            plan.recv(slot, peer);
            final Task sent = plan.send(block, peer, sends.before());
            final Task copied = plan.copy(slot, block);
            sends.add(inSteps ? copied : sent);
        }
    }
}
