package tutti.coll.smp;

import java.util.Objects;
import java.util.function.IntFunction;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Reduce without messages: contributions are combined along a tree of small fan-in, and the root combines its top level.
 *
 * <p>Source: as {@link DirectBcast} (there: fan-in).
 * <p>Idea: each byte is combined once, and no rank waits for many others. The last rank of each group combines the values of its group in scratch
 * memory: see {@link FanInTree}. On the top level the root takes the part of the last rank, wherever the root is in the tree. A rank that awaits its
 * parent's post also knows that its own value has been read. Others cannot know whether the root's contribution is in its send or receive buffer, so
 * the root copies it first where another rank reads it.
 * <pre>
 *   6 ranks, fan-in 4, root 1     0 1 2 ⇒ 3 ((0 1) (2 3));  4 ⇒ 5 (4 5);  3 5 ⇒ 1
 *   4 ranks, fan-in 4, root 1     0 2 3 ⇒ 1 ((0 1) (2 3))
 * </pre>
 * <p>Cost for p ranks, n bytes, fan-in f, p = 2^k and other alike: at most p+1 posts and 2p-1 awaits, at most ⌈log_f p⌉(f-1)nγ along the tree;
 * ⌈log_f p⌉ + 1 hops from post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any root, any n; canonical brackets.
 * <p>Memory: log2 f - 1 segments on ranks that combine; n bytes on ranks that combine below the top level, and at the root where another rank reads
 * its value or the call is in place.
 */
final class GatherReleaseReduce implements AdvancedAlgorithm<Call.Reduce> {
    static final String NAME = "gather_release";

    private final int radix;
    private final long segment;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix   fan-in of the tree
     * @param segment bytes that are combined at a time
     * @param eager   bytes up to which values are read from shared memory
     */
    GatherReleaseReduce(final int radix, final long segment, final long eager) {
        this.radix = radix;
        this.segment = segment;
        this.eager = eager;
    }

    /**
     * The part of each rank in the tree, whose top level the root combines.
     *
     * @param tree the tree
     * @param root the root of the call
     */
    private record Parts(FanInTree tree, int root) {
        /** Returns the number of levels on which a rank combines a group, without the top level, which is the root's. */
        int levels(final int rank) {
            return Math.min(tree.level(rank), tree.height() - 1);
        }

        /** Returns whether the value of a rank is combined on the top level. */
        boolean isTopLevel(final int rank) {
            return levels(rank) == tree.height() - 1;
        }

        /** Returns the rank that combines the value of a rank with others. */
        int reader(final int rank) {
            return isTopLevel(rank) ? root : tree.parent(rank);
        }

        /** Returns whether another rank reads the value of a rank. */
        boolean isRead(final int rank) {
            return reader(rank) != rank;
        }

        /** Returns whether the value of a rank is its contribution and is read in place. */
        boolean isContribution(final int rank) {
            return levels(rank) == 0 && (rank != root || !isRead(rank));
        }
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final int rank = plan.rank();
        final int root = call.root();
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final Parts parts = new Parts(tree, root);
        final boolean isShort = call.bytes() <= eager;
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final BufferRange value = isShort && parts.isRead(rank) ? plan.shared(call.bytes(), parts.reader(rank))
            : parts.isContribution(rank) ? call.input()
            : rank == root && rank == tree.top() ? out : plan.scratch(call.bytes());
        final IntFunction<BufferRange> operands = r -> r == rank ? value
            : (isShort ? Buffer.SHARED : parts.isContribution(r) ? Buffer.SEND : Buffer.SCRATCH).at(0, call.bytes());
        final CanonicalReduction sums = new CanonicalReduction(plan, reduction, rank == root || parts.levels(rank) > 0 ? tree.most() : 1,
            call.bytes(), segment);
        final Task[] ready = sums.plan(tree, parts.levels(rank), call.input(), operands);
        if (parts.isRead(rank)) {
            plan.post(ready);
        }
        if (rank == root) {
            // a value in place is an operand, which the result must not replace while it is read
            final boolean isReplaced = call.inPlace() && value.equals(out) && rank != tree.top();
            final BufferRange sum = isReplaced ? plan.scratch(call.bytes()) : out;
            final Task[] combined = sums.plan(tree.values(tree.top(), tree.height()), operands, sum);
            if (!isShort) {
                plan.post(combined);
            }
            if (isReplaced) {
                plan.copy(sum, out);
            }
        } else if (!isShort) {
            plan.await(parts.reader(rank), parts.isTopLevel(rank) && parts.isRead(root) ? 1 : 0);
        }
    }
}
