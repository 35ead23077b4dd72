package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Allreduce of two groups for long data: a reduce-scatter in each group, all ranks exchange their slices with the other group, and an allgather.
 *
 * <p>Source: reduce-scatter and allgather as in R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004,
 * doi:10.1007/978-3-540-24685-5_1; the exchange of slices between groups is new in this module.
 * <p>Idea: the ranks of a group share the work of combining, of sending the result to the other group, and of distributing the received one. Slices
 * are those of {@link GroupSlices}. All ranks of a group receive the same bits, each element computed by one rank.
 * <pre>
 *   2 and 2 ranks     reduce-scatter: 0 has (0 1)[0], 1 has (0 1)[1];   0 ↔ a,  1 ↔ b;   allgather of 0 1, of a b
 * </pre>
 * <p>Cost for two groups of p ranks, n bytes that p divides, where the module itself serves the groups: at most that of reduce-scatter
 * {@code binomial} and allgather {@code bruck} of n bytes, and α + nβ/p between them; combines as the reduce-scatter does. For groups of p and q
 * ranks p + q - gcd(p, q) messages from each group to the other.
 * <p>Needs: nothing; any two groups; keeps the order of ranks if the nested reduce-scatter does.
 * <p>Memory: n/p bytes, and what the reduce-scatter needs.
 */
final class SlicesAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "slices";

    private final CollSubComm group;

    SlicesAllreduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final long element = call.reduction().elementBytes();
        final GroupSlices outgoing = GroupSlices.of(call.bytes(), element, plan.size(), plan.remoteSize());
        final GroupSlices incoming = GroupSlices.of(call.bytes(), element, plan.remoteSize(), plan.size());
        final BufferRange slice = plan.scratch(outgoing.senders().bytes(plan.rank()));
        outgoing.reduceScatter(plan, group, call.reduction(), call.input(), slice);
        outgoing.send(plan, slice);
        incoming.recv(plan, incoming.received(plan));
        incoming.allgather(plan, group, Buffer.RECV.at(0, call.bytes()));
    }
}
