package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;

/**
 * Ring allgatherv: every rank sends to its right neighbour the block that it received from its left neighbour.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521.
 * <p>Idea: in round s rank r sends block r-s and receives block r-s-1 at its final location, all modulo p. Empty blocks are not sent: every rank
 * knows that they are empty.
 * <pre>
 *   4 ranks, blocks sent    round 0:  0 →0→ 1 →1→ 2 →2→ 3 →3→ 0
 *                          round 1:  0 →3→ 1 →0→ 2 →1→ 3 →2→ 0
 *                          round 2:  0 →2→ 1 →3→ 2 →0→ 3 →1→ 0
 * </pre>
 * <p>Cost for p ranks, n bytes in all blocks together: blocks of equal size: (p-1)α + ((p-1)/p) nβ, p = 2^k and other p alike; other blocks: at
 * most (p-1)(α + mβ), m the largest block; p-1 messages for each block that is not empty.
 * <p>Needs: nothing; any p, any sizes and displacements.
 * <p>Memory: none.
 */
final class RingAllgatherv implements Algorithm<Call.Allgather> {
    static final String NAME = "ring";

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int size = plan.size();
        final int rank = plan.rank();
        final Blocks blocks = call.recv();
        final int right = CyclicRanks.up(rank, 1 % size, size);
        final int left = CyclicRanks.down(rank, 1 % size, size);
        final DataTasks tasks = new DataTasks(plan);
        if (!call.inPlace()) {
            tasks.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
        BufferRange held = call.input(rank);
        for (int round = 0; round < size - 1; round++) {
            tasks.send(held, right);
            held = blocks.in(Buffer.RECV, CyclicRanks.down(rank, round + 1, size));
            tasks.recv(held, left);
        }
    }
}
