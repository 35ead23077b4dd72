package tutti.coll.basic;

import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Barrier of two groups: a barrier in each group, then the leaders, rank 0 of each group, notify each other, then each notifies its group.
 *
 * <p>Source: MPICH, algorithm {@code barrier_inter_bcast}; localBarrier the broadcasts are local.
 * <p>Idea: a leader that has left the barrier of its group knows that all its ranks have entered. When the other leader has notified it, it
 * broadcasts a byte. No rank is complete before it receives that byte.
 * <pre>
 *   3 and 2 ranks     barrier of 0 1 2, barrier of a b;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for the larger group of p ranks: (2⌈log2 p⌉ + 1) α and a byte each time where the module itself serves the groups; 2 messages, and a
 * barrier and a broadcast in each group.
 * <p>Needs: nothing; any two groups.
 * <p>Memory: a byte.
 */
final class LeadersBarrier implements AdvancedAlgorithm<Call.Barrier> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersBarrier(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Barrier call, final AdvancedPlan plan) {
        final Task localBarrier = plan.nested(group, Operation.BARRIER, call, null, null);
        final BufferRange token = plan.scratch(1);
        if (plan.rank() == 0) {
            final BufferRange notice = plan.scratch(1);
            plan.send(notice, 0, localBarrier);
            plan.recv(token, 0);
        }
        plan.nested(group, Operation.BCAST, new Call.Bcast(1, 0), null, token);
    }
}
