package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

/**
 * Scan and exscan without messages: each rank keeps the reduction over a run of ranks that ends with it, and a prefix combines a few runs.
 *
 * <p>Source: P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24(3), 1994,
 * doi:10.1002/spe.4380240306.
 * <p>Idea: see {@link FenwickTree}. A rank combines the runs before it with its contribution to form its own run, and posts that. Then it combines
 * the further runs of its prefix. It returns when all ranks that read its run have posted that they have. The last rank keeps no run.
 * <pre>
 *   6 ranks, scan     1 reads 0;  2 reads 1;  3 reads 2 1;  4 reads 3;  5 reads 4 3
 * </pre>
 * <p>Cost for p ranks, n bytes: p = 2^k: log2 p nγ along the longest chain of ranks; other: at most (2⌊log2 p⌋)nγ; at most 2p posts; two awaits
 * for each read; no messages.
 * <p>Needs: all ranks on one node; any p, any n; canonical brackets.
 * <p>Memory: n bytes; none at the last rank, nor where the run is a scan's result or the send buffer.
 */
final class FenwickScan implements Algorithm<Call.Scan> {
    static final String NAME = "fenwick";

    private final boolean isExclusive;

    /** @param isExclusive whether the operation is exscan */
    FenwickScan(final boolean isExclusive) {
        this.isExclusive = isExclusive;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        if (call.bytes() > 0) {
            new RankPlanner(call, plan).plan();
        }
    }

    /** Plans one rank's part of one call. */
    private final class RankPlanner {
        private final Call.Scan call;
        private final Plan plan;
        private final int rank;
        private final BufferRange out;
        private final int[] ready;

        RankPlanner(final Call.Scan call, final Plan plan) {
            this.call = call;
            this.plan = plan;
            this.rank = plan.rank();
            this.out = Buffer.RECV.at(0, call.bytes());
            this.ready = new int[rank];
        }

        /** Returns whether the run that a rank keeps is also its result. */
        private boolean isResult(final int r) {
            return !isExclusive && FenwickTree.run(r) == r + 1;
        }

        /** Returns the range in which a rank keeps the reduction over its run. */
        private BufferRange kept(final int r) {
            if (isResult(r)) {
                return out;
            }
            return !call.inPlace() && FenwickTree.run(r) == 1 ? call.input() : Buffer.SCRATCH.at(0, call.bytes());
        }

        private boolean isRead(final int r) {
            return r < plan.size() - 1;
        }

        /** Returns the index of the post by which a rank signals that it has read. It is the post of its run if the rank reads nothing after that. */
        private int releasePost(final int r) {
            return !isRead(r) || isResult(r) ? 0 : 1;
        }

        void plan() {
            final List<Integer> prefix = FenwickTree.prefix(isExclusive ? rank : rank + 1);
            final List<Integer> below = isExclusive ? prefix : prefix.subList(1, prefix.size());
            for (int i = 0; i < rank; i++) {
                ready[i] = below.contains(i) || FenwickTree.parts(rank).contains(i) ? plan.await(i, 0) : ReductionOperand.NO_TASK;
            }
            final int last = isExclusive ? exclusive(below) : inclusive(below);
            if (last != ReductionOperand.NO_TASK) {
                plan.post(last);
            }
            for (int reader = rank + 1; reader <= Math.min(rank + FenwickTree.run(rank), plan.size() - 1); reader++) {
                plan.await(reader, releasePost(reader));
            }
        }

        /** Plans a scan. Returns the last task that reads, if it follows the first post. */
        private int inclusive(final List<Integer> below) {
            int last = call.inPlace() ? ReductionOperand.NO_TASK : plan.copy(call.input(), out);
            for (final int peer : FenwickTree.parts(rank)) {
                last = fold(peer, out, last);
            }
            if (isRead(rank)) {
                if (isResult(rank)) {
                    plan.post(last == ReductionOperand.NO_TASK ? Dependencies.NONE : Dependencies.of(last));
                    return ReductionOperand.NO_TASK;
                }
                if (kept(rank).buffer() == Buffer.SCRATCH) {
                    last = plan.copy(out, plan.scratch(call.bytes()), last == ReductionOperand.NO_TASK ? Dependencies.NONE : Dependencies.of(last));
                    plan.post(last);
                } else {
                    plan.post();
                }
            }
            for (final int peer : below) {
                last = fold(peer, out, last);
            }
            return last;
        }

        /** Plans an exscan. Returns the last task that reads. */
        private int exclusive(final List<Integer> below) {
            int free = ReductionOperand.NO_TASK;
            if (isRead(rank)) {
                if (kept(rank).buffer() == Buffer.SCRATCH) {
                    final BufferRange kept = plan.scratch(call.bytes());
                    final int copied = plan.copy(call.input(), kept);
                    int last = copied;
                    for (final int peer : FenwickTree.parts(rank)) {
                        last = fold(peer, kept, last);
                    }
                    plan.post(last);
                    free = call.inPlace() ? copied : ReductionOperand.NO_TASK;
                } else {
                    plan.post();
                }
            }
            int last = ReductionOperand.NO_TASK;
            for (final int peer : below) {
                last = last == ReductionOperand.NO_TASK ? plan.get(peer, kept(peer), out, new ReductionOperand(peer, out, ready[peer]).and(free))
                    : fold(peer, out, last);
            }
            return last;
        }

        private int fold(final int peer, final BufferRange into, final int last) {
            return plan.reduce(call.reduction(), peer, kept(peer), into, new ReductionOperand(peer, into, ready[peer]).and(last));
        }
    }
}
