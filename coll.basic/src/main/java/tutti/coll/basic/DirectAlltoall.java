package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Alltoall, alltoallv and alltoallw of two groups: every rank sends to every rank of the other group.
 *
 * <p>Source: the exchange of {@link LinearAlltoall}, between two groups.
 * <p>Idea: all receives and sends may start at once. Ranks start with different peers, so that no rank is the first peer of all. Empty blocks
 * are not sent: sender and receiver both know that they are empty.
 * <pre>
 *   3 and 2 ranks     0 ↔ a,  0 ↔ b,  1 ↔ a,  1 ↔ b,  2 ↔ a,  2 ↔ b
 * </pre>
 * <p>Cost for two groups of p ranks, n bytes in the blocks of a rank together: pα + nβ for blocks of one size; pq messages each way between groups
 * of p and q, fewer where blocks are empty.
 * <p>Needs: nothing; any two groups, any sizes and displacements.
 * <p>Memory: none.
 */
final class DirectAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        final int peers = plan.remoteSize();
        final int first = plan.rank() % peers;
        for (int i = 0; i < peers; i++) {
            final int source = CyclicRanks.down(first, i, peers);
            final BufferRange block = call.recv().in(Buffer.RECV, source);
            if (block.bytes() > 0) {
                plan.recv(block, source);
            }
        }
        for (int i = 0; i < peers; i++) {
            final int target = CyclicRanks.up(first, i, peers);
            final BufferRange block = call.send().in(Buffer.SEND, target);
            if (block.bytes() > 0) {
                plan.send(block, target);
            }
        }
    }
}
