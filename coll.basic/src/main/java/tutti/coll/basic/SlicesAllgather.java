package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Allgather of two groups: every rank sends its block to the other group, whose ranks receive about as much each, and an allgather in each group
 * collects what its ranks received.
 *
 * <p>Source: this module. The exchange without a leader is that of an alltoall between the groups; compare {@link LeadersAllgather}.
 * <p>Idea: the blocks of a group are divided evenly among the ranks of the other group ({@link GroupSlices}), so no rank collects all blocks before
 * they are sent on. With groups of one size, each rank sends its block to one rank.
 * <pre>
 *   2 and 2 ranks     0 ↔ a,  1 ↔ b;   allgather of a b in 0 1, of 0 1 in a b
 * </pre>
 * <p>Cost for two groups of p ranks, blocks of n bytes, where the module itself serves the groups: an α more than allgather {@code bruck} in place,
 * and pnβ; p messages from each group to the other. For groups of p and q ranks at most p + q - gcd(p, q).
 * <p>Needs: in each group blocks of equal size, one after the other; any two groups.
 * <p>Memory: what the allgather needs.
 */
final class SlicesAllgather implements AdvancedAlgorithm<Call.Allgather> {
    static final String NAME = "slices";

    private final CollSubComm group;

    SlicesAllgather(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allgather call, final AdvancedPlan plan) {
        final GroupSlices outgoing = GroupSlices.of(call.sendBytes() * plan.size(), 1, plan.size(), plan.remoteSize());
        final GroupSlices incoming = GroupSlices.of(call.recv().total(), 1, plan.remoteSize(), plan.size());
        outgoing.send(plan, call.input(plan.rank()));
        incoming.recv(plan, incoming.received(plan));
        incoming.allgather(plan, group, Buffer.RECV.at(0, call.recv().total()));
    }
}
