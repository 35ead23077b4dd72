package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

/**
 * Allgather and allgatherv without messages in two rounds: the last rank collects all blocks, and the others copy them from its buffer.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: each rank waits twice, where reading every rank's block directly takes p-1 waits, and reads once where the blocks are contiguous. So it is
 * for many ranks and little data. Ranks report along a tree that they have read. Short data of equal blocks, all blocks together, is collected in
 * shared memory, where it is read without a report.
 * <pre>
 *   4 ranks     0 1 2 ⇒ 3 (read);   3 ⇒ 0 1 2 (all blocks);   0 1 2 → 3 (released)
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, fan-in f, p = 2^k and other alike: 2p-1 posts and 3(p-1) awaits where no block is empty; p-1 reads of m
 * bytes, then p-1 of pm bytes at the same time; ⌈log_f p⌉ + 2 hops from post to await; no messages. Short data: p posts,
 * 2(p-1) awaits, 2 hops.
 * <p>Needs: all ranks on one node; any p, any block sizes and offsets.
 * <p>Memory: none.
 */
final class GatherReleaseAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "gather_release";

    private final int radix;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix fan-in of the tree along which the last rank's buffer is released
     * @param eager bytes up to which all blocks together are collected in shared memory
     */
    GatherReleaseAllgather(final int radix, final long eager) {
        this.radix = radix;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final Blocks blocks = call.recv();
        if (blocks.total() == 0) {
            return;
        }
        if (blocks.isUniform() && blocks.total() <= eager) {
            planShort(call, plan);
            return;
        }
        final FanInTree tree = new FanInTree(plan.size(), radix);
        if (plan.rank() == tree.top()) {
            collect(call, plan);
            awaitRelease(plan, tree, blocks);
            return;
        }
        if (blocks.bytes(plan.rank()) > 0) {
            plan.post();
        }
        final int there = plan.await(tree.top(), 0);
        final Dependencies read = new Dependencies();
        if (blocks.isUniform()) {
            read.add(plan.get(tree.top(), Buffer.RECV.at(0, blocks.total()), Buffer.RECV.at(0, blocks.total()), there));
        } else {
            for (int i = 0; i < plan.size(); i++) {
                if (blocks.bytes(i) > 0 && !(i == plan.rank() && call.inPlace())) {
                    read.add(plan.get(tree.top(), blocks.in(Buffer.RECV, i), blocks.in(Buffer.RECV, i), there));
                }
            }
        }
        for (final int child : tree.children(plan.rank())) {
            read.add(plan.await(child, releasePost(blocks, child)));
        }
        plan.post(read.all());
    }

    private static void planShort(final Call.Allgather call, final Plan plan) {
        final Blocks blocks = call.recv();
        final int rank = plan.rank();
        final int top = plan.size() - 1;
        final BufferRange all = Buffer.RECV.at(0, blocks.total());
        if (rank < top) {
            final int copied = EagerCopy.post(plan, call.input(rank), top);
            plan.get(top, EagerCopy.range(blocks.total()), all, copied, plan.await(top, 0));
            return;
        }
        final BufferRange collected = plan.shared(blocks.total(), EagerCopy.others(plan));
        final Dependencies there = new Dependencies();
        for (int peer = 0; peer < top; peer++) {
            there.add(plan.get(peer, EagerCopy.range(blocks.bytes(peer)), collected.slice(blocks.offset(peer), blocks.bytes(peer)),
                plan.await(peer, 0)));
        }
        there.add(plan.copy(call.input(rank), collected.slice(blocks.offset(rank), blocks.bytes(rank))));
        plan.post(there.all());
        plan.copy(collected, all, there.all());
    }

    private static void collect(final Call.Allgather call, final Plan plan) {
        final Blocks blocks = call.recv();
        final Dependencies there = new Dependencies();
        for (int peer = 0; peer < plan.rank(); peer++) {
            if (blocks.bytes(peer) > 0) {
                there.add(plan.get(peer, DirectAllgather.input(call, peer), blocks.in(Buffer.RECV, peer), plan.await(peer, 0)));
            }
        }
        if (!call.inPlace() && blocks.bytes(plan.rank()) > 0) {
            there.add(plan.copy(call.input(plan.rank()), blocks.in(Buffer.RECV, plan.rank())));
        }
        plan.post(there.all());
    }

    private static void awaitRelease(final Plan plan, final FanInTree tree, final Blocks blocks) {
        for (final int child : tree.children(tree.top())) {
            plan.await(child, releasePost(blocks, child));
        }
    }

    /** Returns the index of the post by which a rank reports that it and its subtree have read. */
    private static int releasePost(final Blocks blocks, final int rank) {
        return blocks.bytes(rank) > 0 ? 1 : 0;
    }
}
