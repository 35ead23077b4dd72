package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Barrier of two groups: each waits for its own ranks, then the leaders, rank 0 of each group, tell each other, then each tells its group.
 *
 * <p>Source: textbook.
 * <p>Idea: a leader that is through the barrier of its group knows that all its ranks are there. When it has heard the same from the other
 * leader, it broadcasts a byte, without which no rank is done.
 * <pre>
 *   3 and 2 ranks     barrier of 0 1 2, barrier of a b;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for the larger group of p ranks: (2⌈log2 p⌉ + 1) α and a byte each time where the module itself serves the groups; 2 messages, and a
 * barrier and a broadcast in each group.
 * <p>Needs: nothing; any two groups.
 * <p>Memory: a byte.
 */
final class LeadersBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersBarrier(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int here = plan.nested(group, Operation.BARRIER, call, null, null);
        final BufferRange word = plan.scratch(1);
        int[] heard = {};
        if (plan.rank() == 0) {
            final BufferRange ours = plan.scratch(1);
            plan.send(ours, 0, here);
            heard = new int[] {plan.recv(word, 0)};
        }
        plan.nested(group, Operation.BCAST, new Call.Bcast(1, 0), null, word, heard);
    }
}
