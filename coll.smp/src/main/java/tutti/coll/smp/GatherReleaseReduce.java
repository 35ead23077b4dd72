package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

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
final class GatherReleaseReduce implements Algorithm<Call.Reduce> {
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

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        if (call.bytes() > 0) {
            new RankPlanner(call, plan).plan();
        }
    }

    /** Plans one rank's part of one call. */
    private final class RankPlanner {
        private final Call.Reduce call;
        private final Plan plan;
        private final FanInTree tree;
        private final int rank;
        private final boolean isRoot;
        /** Whether values are read from shared memory, so that their ranks do not wait. */
        private final boolean isShort;
        /** The range from which the parent reads this rank's value. */
        private final BufferRange value;
        private final CanonicalReduction sums;

        RankPlanner(final Call.Reduce call, final Plan plan) {
            this.call = call;
            this.plan = plan;
            this.tree = new FanInTree(plan.size(), radix);
            this.rank = plan.rank();
            this.isRoot = rank == call.root();
            this.isShort = call.bytes() <= eager;
            this.value = isShort && isRead(rank) ? plan.shared(call.bytes(), isTopLevelValue(rank) ? call.root() : tree.parent(rank))
                : isContribution(rank) ? call.input()
                : isRoot && rank == tree.top() ? Buffer.RECV.at(0, call.bytes()) : plan.scratch(call.bytes());
            this.sums = new CanonicalReduction(plan, Objects.requireNonNull(call.reduction(), "who takes part knows the reduction"),
                isRoot || level(rank) > 0 ? Math.min(radix, plan.size()) : 1, call.bytes(), segment);
        }

        /** Returns the number of levels on which a rank combines a group, without the top level, which is the root's. */
        private int level(final int r) {
            return Math.min(tree.level(r), tree.height() - 1);
        }

        private boolean isTopLevelValue(final int r) {
            return level(r) == tree.height() - 1;
        }

        /** Returns whether the value of a rank is its contribution and is read in place. */
        private boolean isContribution(final int r) {
            return level(r) == 0 && (r != call.root() || isTopLevelValue(r));
        }

        /** Returns whether another rank reads the value of a rank. */
        private boolean isRead(final int r) {
            return r != call.root() || !isTopLevelValue(r);
        }

        /** Returns the index of the root's post that signals the result. */
        private int resultPost() {
            return isRead(call.root()) ? 1 : 0;
        }

        void plan() {
            int[] ready = Dependencies.NONE;
            if (!value.equals(call.input()) && level(rank) == 0) {
                ready = Dependencies.of(plan.copy(call.input(), value));
            }
            BufferRange own = level(rank) > 0 ? call.input() : value;
            for (int level = 1; level <= level(rank); level++) {
                ready = combine(tree.values(rank, level), own, value, Dependencies.NONE, ready);
                own = value;
            }
            if (isRead(rank)) {
                plan.post(ready);
            }
            if (isRoot) {
                // the values that the root combines include its own, so its own has been read by then
                finish(ready);
            } else if (!isShort) {
                release();
            }
        }

        private int[] combine(final List<Integer> ranks, final BufferRange own, final BufferRange into, final int[] free, final int... ready) {
            final List<ReductionOperand> operands = new ArrayList<>();
            for (final int r : ranks) {
                operands.add(r == rank ? new ReductionOperand(ReductionOperand.OWN, own, ready) : Contributions.of(plan, r,
                    isShort ? EagerCopy.range(call.bytes()) : isContribution(r) ? Buffer.SEND.at(0, call.bytes())
                        : Buffer.SCRATCH.at(0, call.bytes())));
            }
            return operands.size() == 1 && own.equals(into) ? ready : sums.plan(operands, into, free);
        }

        /** Plans the root's part: combines the top level. */
        private void finish(final int... ready) {
            final BufferRange out = Buffer.RECV.at(0, call.bytes());
            final List<Integer> ranks = tree.values(tree.top(), tree.height());
            final boolean isReplaced = call.inPlace() && value.equals(out) && rank != tree.top();
            final BufferRange target = isReplaced ? plan.scratch(call.bytes()) : out;
            final boolean isMoved = call.inPlace() && !value.equals(out);
            final int[] sum = combine(ranks, value, target, isMoved ? ready : Dependencies.NONE, ready);
            if (!isShort) {
                plan.post(sum);
            }
            if (isReplaced) {
                plan.copy(target, out, sum);
            }
        }

        /** Waits until the value has been read. */
        private void release() {
            if (isTopLevelValue(rank)) {
                plan.await(call.root(), resultPost());
            } else {
                plan.await(tree.parent(rank), 0);
            }
        }
    }
}
