package tutti.coll.smp;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Allreduce without messages in one round: every rank combines the contributions of all ranks directly from their buffers.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: the fewest hops at the price of p times the work, so for little data on few ranks. Each rank posts that its contribution is available,
 * combines all, posts that it has read them, and returns when all others have. All ranks use the same brackets, so all get the same bits.
 * <pre>
 *   4 ranks, each     ((0 1) (2 3))
 * </pre>
 * <p>Cost for p ranks, n bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, (p-1)nγ on each rank, all ranks at the same time; 2 hops from
 * post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any n; canonical brackets.
 * <p>Memory: ⌈log2 p⌉ - 1 segments; in place n bytes more.
 */
final class DirectAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "direct";

    private final long segment;

    /** @param segment bytes that are combined at a time */
    DirectAllreduce(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        // the contribution in RECV may be overwritten once all others have read it
        final BufferRange into = call.inPlace() ? plan.scratch(call.bytes()) : out;
        plan.post();
        plan.post(CanonicalReduction.ofAll(plan, call.reduction(), segment, r -> call.input(), into));
        final Task[] read = new Task[plan.size() - 1];
        for (int i = 0; i < read.length; i++) {
            read[i] = plan.await(CyclicRanks.up(plan.rank(), i + 1, plan.size()), 1);
        }
        if (call.inPlace()) {
            plan.copy(into, out, read);
        }
    }
}
