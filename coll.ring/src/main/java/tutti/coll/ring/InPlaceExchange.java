package tutti.coll.ring;

import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Alltoall, alltoallv and alltoallw in place. In round s, ranks whose sum is s modulo p swap their blocks. Each receives into scratch memory, and
 * copies from there after its own block was sent. Every rank meets every other in p rounds, and is idle in the round in which it would meet itself.
 * Messages of a round wait for earlier rounds only, so there is no cycle of ranks that wait for one another.
 */
final class InPlaceExchange {
    private InPlaceExchange() {}

    /** Plans at most {@code throttle} rounds at once. */
    static void inSteps(final Blocks blocks, final Plan plan, final int throttle) {
        plan(blocks, plan, throttle, true);
    }

    /** Plans at most {@code throttle} receives at once, and as many sends, which do not wait for one another. */
    static void scattered(final Blocks blocks, final Plan plan, final int throttle) {
        plan(blocks, plan, throttle, false);
    }

    private static void plan(final Blocks blocks, final Plan plan, final int throttle, final boolean inSteps) {
        final int rank = plan.rank();
        final int[] peers = IntStream.range(0, plan.size()).map(round -> partner(rank, round, plan.size()))
            .filter(peer -> peer != rank && blocks.bytes(peer) > 0).toArray();
        if (peers.length == 0) {
            return;
        }
        final ScratchSlots slots = new ScratchSlots(plan, Math.min(throttle, peers.length), IntStream.of(peers).mapToLong(blocks::bytes).max()
            .orElse(0));
        final SlotRotation sends = new SlotRotation(Math.min(throttle, peers.length));
        for (final int peer : peers) {
            final BufferRange block = blocks.in(Buffer.RECV, peer);
            final ScratchSlots.Slot slot = slots.next(block.bytes());
            final int turn = sends.next();
            final int received = plan.recv(slot.span(), peer, slot.after());
            final int sent = plan.send(block, peer, inSteps ? slot.after() : sends.after(turn));
            sends.usedBy(turn, sent);
            slots.usedBy(slot, plan.copy(slot.span(), block, received, sent));
        }
    }

    /** Returns the partner of {@code rank} in a round; {@code rank} itself where it is idle. */
    static int partner(final int rank, final int round, final int size) {
        return round >= rank ? round - rank : round - rank + size;
    }

    /** Copies the rank's own block to its place, for a call that is not in place. */
    static void copyOwn(final Call.Alltoall call, final Plan plan) {
        final BufferRange own = call.send().in(Buffer.SEND, plan.rank());
        if (own.bytes() > 0) {
            plan.copy(own, call.recv().in(Buffer.RECV, plan.rank()));
        }
    }
}
