package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.InPlaceExchange;
import tutti.coll.patterns.OwnBlock;

/**
 * Linear alltoall, alltoallv and alltoallw: every rank sends a block directly to every other rank.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521 (alltoall by irecv and isend). The in-place form pairs the
 * ranks as round-robin tournaments do.
 * <p>Idea: all receives and sends may start at once. Each rank starts with its right neighbour, so that no rank is the first peer of all. In
 * place, a block may only be replaced after it was sent. In round s, ranks whose sum is s modulo p exchange blocks, through a few slots of
 * scratch memory that rounds use in turn: see {@link InPlaceExchange}. Empty blocks are not sent: sender and receiver both know that they are empty.
 * <pre>
 *   4 ranks, sent by rank 1:                2, 3, 0
 *   4 ranks, in place, round 0:  1 ↔ 3      round 1:  0 ↔ 1, 2 ↔ 3      round 2:  0 ↔ 2      round 3:  0 ↔ 3, 1 ↔ 2
 * </pre>
 * <p>Cost for p ranks, n bytes in the blocks for the others together: (p-1)α + nβ, p = 2^k and other p alike; in place, where
 * ranks wait for one another, up to 1.5 times that; p(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any sizes and displacements; in place, blocks of a pair of ranks have equal size in both directions, as MPI demands.
 * <p>Memory: none; in place at most {@value #SLOTS} times the largest block.
 */
final class LinearAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "linear";
    /** The number of rounds of the in-place form that may be pending at the same time. */
    static final int SLOTS = 4;

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.scattered(call.recv(), plan, SLOTS, plan.size());
        } else {
            planMoves(call, plan);
        }
    }

    private static void planMoves(final Call.Alltoall call, final Plan plan) {
        final int size = plan.size();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.down(plan.rank(), i, size);
            final BufferRange block = call.recv().in(Buffer.RECV, peer);
            if (block.bytes() > 0) {
                plan.recv(block, peer);
            }
        }
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(plan.rank(), i, size);
            final BufferRange block = call.send().in(Buffer.SEND, peer);
            if (block.bytes() > 0) {
                plan.send(block, peer);
            }
        }
        OwnBlock.copy(call, plan);
    }
}
