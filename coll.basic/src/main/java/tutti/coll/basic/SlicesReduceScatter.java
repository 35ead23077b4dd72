package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Reduce-scatter of two groups with blocks of equal size: a reduce-scatter in each group, whose ranks send their slices to those ranks of the other
 * group whose blocks they are.
 *
 * <p>Source: this module; the first phase as in {@link SlicesAllreduce}.
 * <p>Idea: no rank combines or forwards the result of a whole group, as leaders do. Slices are those of {@link GroupSlices}.
 * <pre>
 *   2 and 2 ranks     reduce-scatter: 0 has (0 1)[0], 1 has (0 1)[1];   0 ↔ a,  1 ↔ b
 * </pre>
 * <p>Cost for two groups of p ranks, contributions of n bytes: the reduce-scatter of a group, and α + nβ/p. For groups of p and q ranks p + q -
 * gcd(p, q) messages from each group to the other.
 * <p>Needs: blocks of equal size in each group; any two groups; keeps the order of ranks if the nested reduce-scatter does.
 * <p>Memory: n/p bytes, and what the reduce-scatter needs.
 */
final class SlicesReduceScatter implements AdvancedAlgorithm<Call.ReduceScatter> {
    static final String NAME = "slices";

    private final CollSubComm group;

    SlicesReduceScatter(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final AdvancedPlan plan) {
        final long total = call.blocks().total();
        if (total == 0) {
            return;
        }
        final long element = call.reduction().elementBytes();
        final GroupSlices outgoing = GroupSlices.of(total, element, plan.size(), plan.remoteSize());
        final GroupSlices incoming = GroupSlices.of(total, element, plan.remoteSize(), plan.size());
        final BufferRange slice = plan.scratch(outgoing.senders().bytes(plan.rank()));
        outgoing.reduceScatter(plan, group, call.reduction(), call.input(), slice);
        outgoing.send(plan, slice);
        incoming.recv(plan, Buffer.RECV.at(0, call.blocks().bytes(plan.rank())));
    }
}
