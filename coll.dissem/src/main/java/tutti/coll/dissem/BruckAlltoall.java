package tutti.coll.dissem;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.RadixStep;

/**
 * Bruck's alltoall with radix k: a block is forwarded up the cyclic order of ranks, by one digit of its distance at a time, together with all
 * blocks whose distance has the same digit.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949 (there: index).
 * <p>Idea: the block for the rank at distance d above is moved by j k^i in the round of digit i, where j is that digit of d. Unlike in the paper
 * the highest digit is first, and a rank stores the block of distance d at the final location of the block from the rank d below. Blocks that
 * are forwarded together are therefore adjacent, and there is no rotation at the start or the end. In place, the blocks are first copied aside.
 * <pre>
 *   5 ranks, k = 2, distances     round 1:  4         moves by 4     0 → 4 → 3 → 2 → 1 → 0
 *                                 round 2:  3 2       move by 2      0 → 2 → 4 → 1 → 3 → 0
 *                                 round 3:  3 1       move by 1      0 → 1 → 2 → 3 → 4 → 0
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: p = k^q: q(k-1)(α + (p/k)nβ); other p: (q(k-1) + ⌈(p - k^q)/k^q⌉)α + Dnβ, where q = ⌊log_k p⌋ and D is
 * the number of nonzero digits to base k in all numbers below p; p messages for each α. Where k-1 messages of a rank move at once, the factor
 * k-1 is 1.
 * <p>Needs: blocks of equal size, one after the other; any p. With other blocks, a rank that forwards a block does not know its length.
 * <p>Memory: k = 2: p/2 blocks for each direction; other: fewer than 2p; in place p more.
 */
final class BruckAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "bruck";

    private final int radix;

    /** Creates the algorithm with radix {@code k}. */
    BruckAlltoall(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        final long block = call.recv().bytes(plan.rank());
        if (block == 0) {
            return;
        }
        final List<RadixStep> steps = RadixStep.all(radix, plan.size());
        final int rank = plan.rank();
        if (!call.inPlace()) {
            plan.copy(call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, rank));
            new BruckExchange(plan, radix, block, Buffer.SEND.at(0, call.send().total())).plan(steps.reversed());
        } else if (!steps.isEmpty()) {
            final BufferRange all = Buffer.RECV.at(0, call.recv().total());
            final BufferRange aside = plan.scratch(all.bytes());
            final int[] copied = {copyAside(plan, all, aside, 0, rank * block), copyAside(plan, all, aside, (rank + 1) * block, all.bytes())};
            new BruckExchange(plan, radix, block, aside, copied[0] < 0 ? new int[] {copied[1]} : copied[1] < 0 ? new int[] {copied[0]} : copied)
                .plan(steps.reversed());
        }
    }

    private static int copyAside(final Plan plan, final BufferRange all, final BufferRange aside, final long from, final long to) {
        return from == to ? -1 : plan.copy(all.slice(from, to - from), aside.slice(from, to - from));
    }
}
