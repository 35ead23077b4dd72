package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear neighbour alltoall, alltoallv and alltoallw: every rank sends each of its neighbours a block.
 *
 * <p>Source: MPICH, algorithm {@code ineighbor_alltoall_allcomm_sched_linear}.
 * <p>Idea: all receives and sends may start at once. Edges from a rank to itself are copies, in the order of the neighbour lists. Empty blocks
 * and missing neighbours take no message: sender and receiver both know them.
 * <pre>
 *   4 ranks in a ring, sent by rank 1:      block 0 → 0,  block 1 → 2
 * </pre>
 * <p>Cost for at most d sources or destinations of a rank, n bytes in the largest block: d(α + nβ) where no rank waits for another; a message for
 * each edge between two ranks.
 * <p>Needs: nothing; any neighbours, sizes and displacements.
 * <p>Memory: none.
 */
final class LinearNeighborAlltoall implements Algorithm<Call.NeighborAlltoall> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.NeighborAlltoall call, final Plan plan) {
        NeighborExchange.plan(call.neighbors(), i -> call.send().in(Buffer.SEND, i), i -> call.recv().in(Buffer.RECV, i), plan);
    }
}
