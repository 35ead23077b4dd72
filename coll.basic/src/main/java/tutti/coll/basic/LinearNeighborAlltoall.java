package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear neighbour alltoall, alltoallv and alltoallw: every rank sends each of its neighbours a block.
 *
 * <p>Source: textbook.
 * <p>Idea: all receives and sends are ready at once. Edges from a rank to itself are copies, in the order of their places. Empty blocks and
 * neighbours that do not exist are left out: sender and receiver agree on them.
 * <pre>
 *   4 ranks in a ring, sent by rank 1:      block 0 → 0,  block 1 → 2
 * </pre>
 * <p>Cost for d neighbours at most that a rank sends to or receives from, n bytes in the largest block: d(α + nβ) where no rank waits for another; a
 * message for each edge between two ranks.
 * <p>Needs: nothing; any neighbours, sizes and places.
 * <p>Memory: none.
 */
final class LinearNeighborAlltoall implements Algorithm<Call.NeighborAlltoall> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.NeighborAlltoall call, final Plan plan) {
        NeighborExchange.plan(call.neighbors(), i -> call.send().in(Buffer.SEND, i), i -> call.recv().in(Buffer.RECV, i), plan);
    }
}
