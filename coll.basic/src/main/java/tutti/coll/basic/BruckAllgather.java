package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;

/**
 * Bruck's allgather: in round k every rank sends the blocks that it has to the rank 2^k below, in cyclic order.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949.
 * <p>Idea: before round k a rank has the blocks of 2^k consecutive ranks, starting with itself. Unlike in the paper blocks are received at their
 * final location, so there is no rotation at the end. A range of blocks that wraps around rank p-1 takes two messages instead.
 * <pre>
 *   5 ranks, what rank 3 has     at start:  3
 *                                round 1:   3 4          4 from rank 4
 *                                round 2:   3 4 0 1      0 1 from rank 0
 *                                round 3:   3 4 0 1 2    2 from rank 2
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: ⌈log2 p⌉ α + (p-1) nβ, p = 2^k and other p alike, and at most one more α in each round but the first;
 * (p-1)(⌈log2 p⌉ + 1) messages.
 * <p>Needs: blocks of equal size, one after the other; any p.
 * <p>Memory: none.
 */
final class BruckAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "bruck";

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int size = plan.size();
        final int rank = plan.rank();
        final DataTasks tasks = new DataTasks(plan);
        final Blocks blocks = call.recv();
        for (int distance = 1; distance < size; distance <<= 1) {
            final int moved = Math.min(distance, size - distance);
            final int from = CyclicRanks.up(rank, distance, size);
            new CyclicRange(blocks, from, moved).segments(Buffer.RECV).forEach(part -> tasks.recv(part.range(), from));
            final int to = CyclicRanks.down(rank, distance, size);
            if (distance == 1) {
                tasks.send(call.input(rank), to);
            } else {
                new CyclicRange(blocks, rank, moved).segments(Buffer.RECV).forEach(part -> tasks.send(part.range(), to));
            }
            if (distance == 1 && !call.inPlace()) {
                tasks.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
            }
        }
        if (size == 1 && !call.inPlace()) {
            tasks.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
    }
}
