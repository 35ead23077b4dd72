package tutti.coll.dissem;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Bruck's alltoall with radix k: a block travels as far up the circle as it must, one digit of that distance at a time, together with all blocks
 * that have the same digit.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (there: index).
 * <p>Idea: the block for the rank at distance d above is moved by j k^i in the round of digit i, j being that digit of d. Unlike in the paper the
 * highest digit comes first, and a rank keeps what it has of distance d where in the end the block of the rank d below belongs: so
 * blocks that go on together lie together, and there is no rotation, neither at first nor at last. In place, the blocks are set aside first.
 * <pre>
 *   5 ranks, k = 2, distances     round 1:  4         goes by 4     0 → 4 → 3 → 2 → 1 → 0
 *                                 round 2:  3 2       go by 2       0 → 2 → 4 → 1 → 3 → 0
 *                                 round 3:  3 1       go by 1       0 → 1 → 2 → 3 → 4 → 0
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: p = k^q: q(k-1)(α + (p/k)nβ); other: (q(k-1) + ⌈(p - k^q)/k^q⌉)α + Dnβ with q = ⌊log_k p⌋ and D the digits
 * other than 0 of all numbers below p to base k; p messages for each α. Where k-1 messages of a rank move at once, the k-1 falls away.
 * <p>Needs: blocks of one size, one after the other; any p. With sizes that differ, a rank on the way does not know how long a block is.
 * <p>Memory: k = 2: p/2 blocks for each direction; other: fewer than 2p; in place p more.
 */
final class BruckAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "bruck";

    private final int radix;

    /** @param radix k */
    BruckAlltoall(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        final long block = call.recv().bytes(plan.rank());
        if (block == 0) {
            return;
        }
        final List<RadixStep> hops = RadixStep.all(radix, plan.size());
        final int rank = plan.rank();
        if (!call.inPlace()) {
            plan.copy(call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, rank));
            new BruckExchange(plan, radix, block, Buffer.SEND.at(0, call.send().total())).plan(hops.reversed());
        } else if (!hops.isEmpty()) {
            final BufferRange all = Buffer.RECV.at(0, call.recv().total());
            final BufferRange aside = plan.scratch(all.bytes());
            final int[] set = {setAside(plan, all, aside, 0, rank * block), setAside(plan, all, aside, (rank + 1) * block, all.bytes())};
            new BruckExchange(plan, radix, block, aside, set[0] < 0 ? new int[] {set[1]} : set[1] < 0 ? new int[] {set[0]} : set)
                .plan(hops.reversed());
        }
    }

    private static int setAside(final Plan plan, final BufferRange all, final BufferRange aside, final long from, final long to) {
        return from == to ? -1 : plan.copy(all.slice(from, to - from), aside.slice(from, to - from));
    }
}
