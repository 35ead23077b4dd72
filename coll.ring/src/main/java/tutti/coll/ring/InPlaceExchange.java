package tutti.coll.ring;

import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * The alltoall family in place: in round s, ranks whose sum is s modulo p swap their blocks, each receiving into scratch memory and copying from
 * there when its own block has left. Everyone meets everyone in p rounds and pauses where it would meet itself. Messages of a round
 * wait for earlier rounds alone, so no circle of ranks waits for one another.
 */
final class InPlaceExchange {
    private InPlaceExchange() { }

    /** At most {@code window} rounds at once. */
    static void inSteps(final Blocks blocks, final Plan plan, final int window) {
        plan(blocks, plan, window, true);
    }

    /** At most {@code window} receives at once, and as many sends, that do not wait for one another. */
    static void scattered(final Blocks blocks, final Plan plan, final int window) {
        plan(blocks, plan, window, false);
    }

    private static void plan(final Blocks blocks, final Plan plan, final int window, final boolean inSteps) {
        final int rank = plan.rank();
        final int[] peers = IntStream.range(0, plan.size()).map(round -> partner(rank, round, plan.size()))
            .filter(peer -> peer != rank && blocks.bytes(peer) > 0).toArray();
        if (peers.length == 0) {
            return;
        }
        final ScratchSlots slots = new ScratchSlots(plan, Math.min(window, peers.length), IntStream.of(peers).mapToLong(blocks::bytes).max()
            .orElse(0));
        final SlotRotation sends = new SlotRotation(Math.min(window, peers.length));
        for (final int peer : peers) {
            final BufferRange block = blocks.in(Buffer.RECV, peer);
            final ScratchSlots.Slot room = slots.next(block.bytes());
            final int turn = sends.next();
            final int received = plan.recv(room.span(), peer, room.free());
            final int sent = plan.send(block, peer, inSteps ? room.free() : sends.free(turn));
            sends.usedBy(turn, sent);
            slots.usedBy(room, plan.copy(room.span(), block, received, sent));
        }
    }

    /** With whom {@code rank} swaps in a round; itself when it pauses. */
    static int partner(final int rank, final int round, final int size) {
        return round >= rank ? round - rank : round - rank + size;
    }

    /** Copies the own block where it belongs, of a call that is not in place. */
    static void copyOwn(final Call.Alltoall call, final Plan plan) {
        final BufferRange own = call.send().in(Buffer.SEND, plan.rank());
        if (own.bytes() > 0) {
            plan.copy(own, call.recv().in(Buffer.RECV, plan.rank()));
        }
    }
}
