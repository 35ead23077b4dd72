package tutti.coll.smp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

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
final class FenwickScan implements AdvancedAlgorithm<Call.Scan> {
    static final String NAME = "fenwick";

    private final boolean isExclusive;

    /** @param isExclusive whether the operation is exscan */
    FenwickScan(final boolean isExclusive) {
        this.isExclusive = isExclusive;
    }

    @Override
    public void plan(final Call.Scan call, final AdvancedPlan plan) {
        if (call.bytes() > 0) {
            new RankPlanner(call, plan).plan();
        }
    }

    /** Plans one rank's part of one call. */
    private final class RankPlanner {
        private final Call.Scan call;
        private final AdvancedPlan plan;
        private final int rank;
        private final BufferRange out;
        private final Map<Integer, Task> posted = new HashMap<>();

        RankPlanner(final Call.Scan call, final AdvancedPlan plan) {
            this.call = call;
            this.plan = plan;
            this.rank = plan.rank();
            this.out = Buffer.RECV.at(0, call.bytes());
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
            if (isExclusive) {
                exclusive();
            } else {
                inclusive();
            }
            for (int reader = rank + 1; reader <= Math.min(rank + FenwickTree.run(rank), plan.size() - 1); reader++) {
                plan.await(reader, releasePost(reader));
            }
        }

        /** Plans a scan. */
        private void inclusive() {
            final Task[] own = call.inPlace() ? new Task[0] : new Task[] {plan.copy(call.input(), out)};
            final Task[] run = fold(FenwickTree.parts(rank), out, own);
            if (isResult(rank)) {
                plan.post(run);
                return;
            }
            if (isRead(rank) && kept(rank).buffer() == Buffer.SCRATCH) {
                plan.post(plan.copy(out, plan.scratch(call.bytes())));
            } else if (isRead(rank)) {
                plan.post();
            }
            final List<Integer> prefix = FenwickTree.prefix(rank + 1);
            plan.post(fold(prefix.subList(1, prefix.size()), out));
        }

        /** Plans an exscan. */
        private void exclusive() {
            if (isRead(rank) && kept(rank).buffer() == Buffer.SCRATCH) {
                final BufferRange kept = plan.scratch(call.bytes());
                plan.post(fold(FenwickTree.parts(rank), kept, plan.copy(call.input(), kept)));
            } else if (isRead(rank)) {
                plan.post();
            }
            if (rank > 0) {
                final List<Integer> prefix = FenwickTree.prefix(rank);
                final int first = prefix.getFirst();
                plan.post(fold(prefix.subList(1, prefix.size()), out, plan.get(first, kept(first), out, posted(first))));
            }
        }

        /** Combines the runs of some ranks into a value, after the task that wrote it. Returns the last task, which follows the others. */
        private Task[] fold(final List<Integer> peers, final BufferRange value, final Task... written) {
            Task[] last = written;
            for (final int peer : peers) {
                last = new Task[] {plan.reduce(call.reduction(), peer, kept(peer), value, posted(peer))};
            }
            return last;
        }

        /** Returns the task after which the run of a peer may be read. */
        private Task posted(final int peer) {
            return posted.computeIfAbsent(peer, p -> plan.await(p, 0));
        }
    }
}
