package tutti.coll.smp;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Allreduce without messages: contributions are combined along a tree of small fan-in, and all ranks copy the result from its top.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: each byte is combined once, and no rank waits for many others. The last rank of each group combines the values of its group in its receive
 * buffer, from the highest operand down: see {@link FanInTree}. The top posts when the result is complete. The others copy it and report along the
 * same tree that they have. A rank that awaits the top's post also knows that its own value has been read. Short values are combined in shared
 * memory, where they are read without a report.
 * <pre>
 *   6 ranks, fan-in 4     0 1 2 ⇒ 3 ((0 1) (2 3));  4 ⇒ 5 (4 5);  3 ⇒ 5;  5 ⇒ 0 1 2 3 4 (read);  4 3 → 5, 0 1 2 → 3 (released)
 * </pre>
 * <p>Cost for p ranks, n bytes, fan-in f, p = 2^k and other alike: 2p-1 posts, 3(p-1) awaits, at most ⌈log_f p⌉(f-1)nγ along the tree, then p-1
 * reads of n bytes at the same time; 2⌈log_f p⌉ + 1 hops from post to await; no messages. Short values: p posts, 2(p-1) awaits, ⌈log_f p⌉ + 1 hops.
 * <p>Needs: all ranks on one node; any p, any n; canonical brackets.
 * <p>Memory: log2 f - 1 segments on ranks that combine.
 */
final class GatherReleaseAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "gather_release";

    private final int radix;
    private final long segment;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix   fan-in of the tree
     * @param segment bytes that are combined at a time
     * @param eager   bytes up to which values are in shared memory
     */
    GatherReleaseAllreduce(final int radix, final long segment, final long eager) {
        this.radix = radix;
        this.segment = segment;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final int rank = plan.rank();
        final int top = tree.top();
        final boolean isShort = call.bytes() <= eager;
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final BufferRange sum = isShort ? plan.shared(call.bytes(), tree.readers(rank)) : out;
        plan.post(CanonicalReduction.alongTree(plan, call.reduction(), segment, tree, call.input(),
            r -> isShort || tree.level(r) > 0 ? sum : call.input()));
        final Task[] read = rank == top ? new Task[0] : new Task[] {plan.get(top, sum, out, plan.await(top, 0))};
        if (!isShort) {
            BufferRelease.plan(plan, tree, top, r -> 1, read);
        } else if (rank == top) {
            plan.copy(sum, out);
        }
    }
}
