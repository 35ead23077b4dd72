package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Ring allgatherv: every rank passes on to its right what came from its left.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521.
 * <p>Idea: in step s rank r sends block r-s and receives block r-s-1, all modulo p, where they belong. Empty blocks are left out: every
 * rank knows which they are.
 * <pre>
 *   4 ranks, what moves     step 0:  0 →0→ 1 →1→ 2 →2→ 3 →3→ 0
 *                           step 1:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0
 *                           step 2:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0
 * </pre>
 * <p>Cost for p ranks, n bytes in all blocks together: blocks of one size: (p-1)α + ((p-1)/p) nβ, p = 2^k and other alike; sizes that differ: at
 * most (p-1)(α + mβ), m the largest block; p-1 messages for each block that is not empty.
 * <p>Needs: nothing; any p, any sizes and places.
 * <p>Memory: none.
 */
final class RingAllgatherv implements Algorithm<Call.Allgather> {
    static final String NAME = "ring";
    private static final int[] NOTHING = {};

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int size = plan.size();
        final int rank = plan.rank();
        final Blocks blocks = call.recv();
        final int right = CyclicRanks.up(rank, 1 % size, size);
        final int left = CyclicRanks.down(rank, 1 % size, size);
        if (!call.inPlace() && blocks.bytes(rank) > 0) {
            plan.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
        BufferRange held = call.input(rank);
        int[] arrived = NOTHING;
        for (int step = 0; step < size - 1; step++) {
            if (held.bytes() > 0) {
                plan.send(held, right, arrived);
            }
            held = blocks.in(Buffer.RECV, CyclicRanks.down(rank, step + 1, size));
            arrived = held.bytes() > 0 ? new int[] {plan.recv(held, left)} : NOTHING;
        }
    }
}
