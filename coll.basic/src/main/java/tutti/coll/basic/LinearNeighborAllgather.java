package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear neighbour allgather and allgatherv: every rank sends its block to its neighbours.
 *
 * <p>Source: textbook.
 * <p>Idea: all receives and sends are ready at once. Edges from a rank to itself are copies, in the order of their places. Empty blocks and
 * neighbours that do not exist are left out: sender and receiver agree on them.
 * <pre>
 *   4 ranks in a line, sent     0 → 1,  1 → 0,  1 → 2,  2 → 1,  2 → 3,  3 → 2
 * </pre>
 * <p>Cost for d neighbours at most that a rank sends to or receives from, n bytes in the largest block: d(α + nβ) where no rank waits for another; a
 * message for each edge between two ranks.
 * <p>Needs: nothing; any neighbours, sizes and places.
 * <p>Memory: none.
 */
final class LinearNeighborAllgather implements Algorithm<Call.NeighborAllgather> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.NeighborAllgather call, final Plan plan) {
        final BufferRange own = Buffer.SEND.at(0, call.sendBytes());
        NeighborExchange.plan(call.neighbors(), i -> own, i -> call.recv().in(Buffer.RECV, i), plan);
    }
}
