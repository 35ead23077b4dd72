package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Allreduce without messages: contributions come together along a tree of small fan-in, and all ranks copy the result from its top.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: each byte is combined once, and no rank waits for many. Runs of ranks come together at their last rank, in whose receive buffer the
 * sum grows from the right: see {@link FanInTree}. The top posts when the result is there; the others copy it and tell along the same tree that they
 * have. Who hears that the sum above it is there knows that its own was read.
 * <pre>
 *   6 ranks, fan-in 4     0 1 2 ⇒ 3 ((0 1) (2 3));  4 ⇒ 5 (4 5);  3 ⇒ 5;  5 ⇒ 0 1 2 3 4 (read);  4 3 → 5, 0 1 2 → 3 (told)
 * </pre>
 * <p>Cost for p ranks, n bytes, fan-in f, p = 2^k and other alike: 2p-1 posts, 3(p-1) awaits, at most ⌈log_f p⌉(f-1)nγ along the tree, then p-1
 * reads of n bytes at the same time; 2⌈log_f p⌉ + 1 hops from post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any n; canonical brackets.
 * <p>Memory: a segment for each level of the brackets of f values but the first and the last.
 */
final class GatherReleaseAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "gather_release";

    private final int radix;
    private final long segment;

    /**
     * Makes one.
     *
     * @param radix   fan-in of the tree
     * @param segment bytes that are combined at a time
     */
    GatherReleaseAllreduce(final int radix, final long segment) {
        this.radix = radix;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final int rank = plan.rank();
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final int[] sum = new TreeReduction(tree, call.reduction(), call.input(), out, segment).plan(plan);
        plan.post(sum);
        final Dependencies told = new Dependencies();
        if (rank != tree.top()) {
            told.add(plan.get(tree.top(), out, out, new Dependencies().add(sum).add(plan.await(tree.top(), 0)).all()));
        }
        for (final int child : tree.children(rank)) {
            told.add(plan.await(child, 1));
        }
        if (rank != tree.top()) {
            plan.post(told.all());
        }
    }
}
