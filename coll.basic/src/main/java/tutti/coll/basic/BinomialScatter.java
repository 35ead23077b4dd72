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
 * Binomial scatter: each rank receives the blocks of its subtree in one message and distributes them to its children.
 *
 * <p>Source: S. L. Johnsson, C.-T. Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE Transactions on Computers
 * 38(9), 1989, doi:10.1109/12.29465.
 * <p>Idea: the reverse of {@link BinomialGather}. The root sends every range of blocks in place. A range that wraps around rank p-1 is sent by
 * the root as two messages, so that nothing is copied there.
 * <pre>
 *   5 ranks, root 0     0 → 4 [4],  then  0 → 2 [2 3],  then  0 → 1 [1],  2 → 3 [3]
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: ⌈log2 p⌉ α + (p-1) nβ, p = 2^k and other p alike; p-1 messages. Where a range of the root's
 * children wraps around rank p-1: one message more, at most one α more and, since a part may be forwarded before the rest arrives, p/8 nβ more.
 * <p>Needs: blocks of equal size, one after the other; any p, any root.
 * <p>Memory: the blocks of the subtree, at most 2^(⌈log2 p⌉-1) n bytes; none at the root and at leaves.
 */
final class BinomialScatter implements Algorithm<Call.Scatter> {
    static final String NAME = "binomial";

    @Override
    public void plan(final Call.Scatter call, final Plan plan) {
        final DataTasks tasks = new DataTasks(plan);
        final int v = CyclicRanks.down(plan.rank(), call.root(), plan.size());
        if (v == 0) {
            planRoot(call, plan, tasks);
        } else {
            planOther(call, plan, tasks, v);
        }
    }

    private static void planRoot(final Call.Scatter call, final Plan plan, final DataTasks tasks) {
        final int size = plan.size();
        final int root = call.root();
        final Blocks blocks = Objects.requireNonNull(call.send(), "every rank of a scatter knows the blocks");
        for (int i = Binomial.children(0, size) - 1; i >= 0; i--) {
            final int child = 1 << i;
            final int peer = CyclicRanks.up(child, root, size);
            new CyclicRange(blocks, peer, Binomial.subtree(child, size)).segments(Buffer.SEND).forEach(part -> tasks.send(part.range(), peer));
        }
        if (!call.inPlace()) {
            tasks.copy(blocks.in(Buffer.SEND, root), Buffer.RECV.at(0, call.recvBytes()));
        }
    }

    private static void planOther(final Call.Scatter call, final Plan plan, final DataTasks tasks, final int v) {
        final int size = plan.size();
        final int root = call.root();
        final long bytes = call.recvBytes();
        final int members = Binomial.subtree(v, size);
        final BufferRange own = Buffer.RECV.at(0, bytes);
        final BufferRange run = members > 1 ? tasks.plan().scratch(members * bytes) : own;
        final int parent = Binomial.parent(v);
        final int head = parent == 0 ? CyclicRanks.head(plan.rank(), members, size) : members;
        tasks.recv(run.slice(0, head * bytes), CyclicRanks.up(parent, root, size));
        if (head < members) {
            tasks.recv(run.slice(head * bytes, (members - head) * bytes), root);
        }
        for (int i = Binomial.children(v, size) - 1; i >= 0; i--) {
            final int child = 1 << i;
            tasks.send(run.slice(child * bytes, Binomial.subtree(v + child, size) * bytes), CyclicRanks.up(v + child, root, size));
        }
        if (members > 1) {
            tasks.copy(run.slice(0, bytes), own);
        }
    }
}
