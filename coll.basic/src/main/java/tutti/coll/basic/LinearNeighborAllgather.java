package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear neighbour allgather and allgatherv: every rank sends its block to its neighbours.
 *
 * <p>Source: MPICH, algorithm {@code ineighbor_allgather_allcomm_sched_linear}.
 * <p>Idea: all receives and sends may start at once. Edges from a rank to itself are copies, in the order of the neighbour lists. Empty blocks
 * and missing neighbours take no message: sender and receiver both know them.
 * <pre>
 *   4 ranks in a line, sent     0 → 1,  1 → 0,  1 → 2,  2 → 1,  2 → 3,  3 → 2
 * </pre>
 * <p>Cost for at most d sources or destinations of a rank, n bytes in the largest block: d(α + nβ) where no rank waits for another; a message for
 * each edge between two ranks.
 * <p>Needs: nothing; any neighbours, sizes and displacements.
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
