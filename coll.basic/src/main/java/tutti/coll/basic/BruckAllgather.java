package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Bruck's allgather: in round k every rank gives the blocks that it has to the rank 2^k below, around the circle.
 *
 * <p>Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for all-to-all communications in multiport
 * message-passing systems, IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, doi:10.1109/71.642949.
 * <p>Idea: before round k a rank has the blocks of the 2^k ranks from itself on. Unlike in the paper blocks are received where they
 * belong, so the rotation at the end falls away; a run of blocks that passes rank p-1 takes two messages instead.
 * <pre>
 *   5 ranks, what rank 3 has     at start:  3
 *                                round 1:   3 4          4 from rank 4
 *                                round 2:   3 4 0 1      0 1 from rank 0
 *                                round 3:   3 4 0 1 2    2 from rank 2
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: ⌈log2 p⌉ α + (p-1) nβ, p = 2^k and other alike, and at most one more α in each round but the first;
 * (p-1)(⌈log2 p⌉ + 1) messages.
 * <p>Needs: blocks of one size, one after the other; any p.
 * <p>Memory: none.
 */
final class BruckAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "bruck";

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int size = plan.size();
        final int rank = plan.rank();
        final DependencyTracker flow = new DependencyTracker(plan);
        final Blocks blocks = call.recv();
        for (int held = 1; held < size; held <<= 1) {
            final int moved = Math.min(held, size - held);
            final int from = CyclicRanks.up(rank, held, size);
            receive(flow, blocks, new CyclicRange(from, moved, size), from);
            final int to = CyclicRanks.down(rank, held, size);
            if (held == 1) {
                flow.send(call.input(rank), to);
            } else {
                send(flow, blocks, new CyclicRange(rank, moved, size), to);
            }
            if (held == 1 && !call.inPlace()) {
                flow.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
            }
        }
        if (size == 1 && !call.inPlace()) {
            flow.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
    }

    private static void receive(final DependencyTracker flow, final Blocks blocks, final CyclicRange run, final int peer) {
        flow.recv(run.headOf(Buffer.RECV, blocks), peer);
        if (run.tail() > 0) {
            flow.recv(run.tailOf(Buffer.RECV, blocks), peer);
        }
    }

    private static void send(final DependencyTracker flow, final Blocks blocks, final CyclicRange run, final int peer) {
        flow.send(run.headOf(Buffer.RECV, blocks), peer);
        if (run.tail() > 0) {
            flow.send(run.tailOf(Buffer.RECV, blocks), peer);
        }
    }
}
