package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;

/**
 * Binomial gather: each rank collects the blocks of its subtree and sends them to its parent in one message.
 *
 * <p>Source: S. L. Johnsson, C.-T. Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE Transactions on Computers
 * 38(9), 1989, doi:10.1109/12.29465.
 * <p>Idea: ranks are numbered from the root, a subtree is a cyclic range of ranks. The root receives every range at its final location. A range
 * that wraps around rank p-1 is sent to the root as two messages, so that nothing is copied there.
 * <pre>
 *   5 ranks, root 0     1 → 0 [1],  3 → 2 [3],  then  2 → 0 [2 3],  then  4 → 0 [4]
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: ⌈log2 p⌉ α + (p-1) nβ, p = 2^k and other p alike; p-1 messages, one more and at most one more
 * α where a range of the root's children wraps around rank p-1.
 * <p>Needs: blocks of equal size, one after the other; any p, any root.
 * <p>Memory: the blocks of the subtree, at most 2^(⌈log2 p⌉-1) n bytes; none at the root and at leaves.
 */
final class BinomialGather implements Algorithm<Call.Gather> {
    static final String NAME = "binomial";

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        final DataTasks tasks = new DataTasks(plan);
        final int v = CyclicRanks.down(plan.rank(), call.root(), plan.size());
        if (v == 0) {
            planRoot(call, plan, tasks);
        } else {
            planOther(call, plan, tasks, v);
        }
    }

    private static void planRoot(final Call.Gather call, final Plan plan, final DataTasks tasks) {
        final int size = plan.size();
        final int root = call.root();
        final Blocks blocks = Objects.requireNonNull(call.recv(), "every rank of a gather knows the blocks");
        for (int i = 0; i < Binomial.children(0, size); i++) {
            final int child = 1 << i;
            final int peer = CyclicRanks.up(child, root, size);
            new CyclicRange(blocks, peer, Binomial.subtree(child, size)).segments(Buffer.RECV).forEach(part -> tasks.recv(part.range(), peer));
        }
        if (!call.inPlace()) {
            tasks.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
    }

    private static void planOther(final Call.Gather call, final Plan plan, final DataTasks tasks, final int v) {
        final int size = plan.size();
        final int root = call.root();
        final long bytes = call.sendBytes();
        final int members = Binomial.subtree(v, size);
        BufferRange run = call.input(plan.rank());
        if (members > 1) {
            run = tasks.plan().scratch(members * bytes);
            tasks.copy(call.input(plan.rank()), run.slice(0, bytes));
        }
        for (int i = 0; i < Binomial.children(v, size); i++) {
            final int child = 1 << i;
            tasks.recv(run.slice(child * bytes, Binomial.subtree(v + child, size) * bytes), CyclicRanks.up(v + child, root, size));
        }
        final int parent = Binomial.parent(v);
        final int head = parent == 0 ? CyclicRanks.head(plan.rank(), members, size) : members;
        tasks.send(run.slice(0, head * bytes), CyclicRanks.up(parent, root, size));
        if (head < members) {
            tasks.send(run.slice(head * bytes, (members - head) * bytes), root);
        }
    }
}
