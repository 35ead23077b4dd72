package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Allgatherv of two groups: every rank sends its block to every rank of the other group.
 *
 * <p>Source: the exchange of {@link LinearAlltoall}, between two groups.
 * <p>Idea: a group knows the sizes of the remote group's blocks but not those of its own, so it cannot gather them before they are sent. All
 * messages may start at once. Ranks start with different peers, so that no rank is the first peer of all. Empty blocks are not sent: sender
 * and receivers both know that they are empty.
 * <pre>
 *   3 and 2 ranks     0 ↔ a,  0 ↔ b,  1 ↔ a,  1 ↔ b,  2 ↔ a,  2 ↔ b
 * </pre>
 * <p>Cost for two groups of p ranks, n bytes in the blocks of a group together: pα + nβ for blocks of one size; pq messages each way between
 * groups of p and q, fewer where blocks are empty.
 * <p>Needs: nothing; any two groups, any sizes and displacements.
 * <p>Memory: none.
 */
final class DirectAllgatherv implements Algorithm<Call.Allgather> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final Blocks blocks = call.recv();
        final int peers = plan.remoteSize();
        final int first = plan.rank() % peers;
        for (int i = 0; i < peers; i++) {
            final int source = CyclicRanks.down(first, i, peers);
            if (blocks.bytes(source) > 0) {
                plan.recv(blocks.in(Buffer.RECV, source), source);
            }
        }
        for (int i = 0; i < peers && call.sendBytes() > 0; i++) {
            plan.send(call.input(plan.rank()), CyclicRanks.up(first, i, peers));
        }
    }
}
