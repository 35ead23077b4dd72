package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Span;

/**
 * Barrier of two groups: each waits for its own ranks, then the leaders, rank 0 of each group, tell each other, then the groups.
 *
 * <p>Source: textbook.
 * <p>Idea: a leader that is through the barrier of its group knows that all its ranks are there. No rank is through the second barrier of its
 * group before the leader has come to it, and the leader comes when it has heard from the other.
 * <pre>
 *   3 and 2 ranks     barrier of 0 1 2, barrier of a b;   0 ↔ a;   barrier of 0 1 2, barrier of a b
 * </pre>
 * <p>Cost for the larger group of p ranks: (2⌈log2 p⌉ + 1) α where the module itself serves the groups; 2 messages and two barriers in each
 * group.
 * <p>Needs: nothing; any two groups.
 * <p>Memory: none.
 */
final class LeadersBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "leaders";

    private final CollGroup group;

    LeadersBarrier(final CollGroup group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int here = plan.nested(group, Operation.BARRIER, call, null, null);
        if (plan.rank() == 0) {
            final Span word = plan.scratch(0);
            plan.send(word, 0, here);
            plan.nested(group, Operation.BARRIER, call, null, null, plan.recv(word, 0, here));
        } else {
            plan.nested(group, Operation.BARRIER, call, null, null, here);
        }
    }
}
