package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

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
final class GatherReleaseAllgather implements AdvancedAlgorithm<Call.Allgather> {
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
    public void plan(final Call.Allgather call, final AdvancedPlan plan) {
        final Blocks blocks = call.recv();
        if (blocks.total() == 0) {
            return;
        }
        if (blocks.isUniform() && blocks.total() <= eager) {
            planShort(call, plan);
            return;
        }
        final int top = plan.size() - 1;
        final List<Task> read = new ArrayList<>();
        if (plan.rank() == top) {
            collect(call, plan);
        } else {
            if (blocks.bytes(plan.rank()) > 0) {
                plan.post();
            }
            final Task there = plan.await(top, 0);
            final BufferRange all = Buffer.RECV.at(0, blocks.total());
            if (blocks.isUniform()) {
                read.add(plan.get(top, all, all, there));
            }
            for (int i = 0; !blocks.isUniform() && i < plan.size(); i++) {
                if (blocks.bytes(i) > 0 && !(i == plan.rank() && call.inPlace())) {
                    read.add(plan.get(top, blocks.in(Buffer.RECV, i), blocks.in(Buffer.RECV, i), there));
                }
            }
        }
        // a rank with an empty block makes no other post
        BufferRelease.plan(plan, new FanInTree(plan.size(), radix), top, r -> blocks.bytes(r) > 0 ? 1 : 0, read.toArray(Task[]::new));
    }

    private static void planShort(final Call.Allgather call, final AdvancedPlan plan) {
        final Blocks blocks = call.recv();
        final int rank = plan.rank();
        final int top = plan.size() - 1;
        final BufferRange all = Buffer.RECV.at(0, blocks.total());
        if (rank < top) {
            EagerCopy.post(plan, call.input(rank), top);
            plan.get(top, Buffer.SHARED.at(0, blocks.total()), all, plan.await(top, 0));
            return;
        }
        final BufferRange collected = plan.shared(blocks.total(), EagerCopy.others(plan));
        final List<Task> there = new ArrayList<>();
        for (int peer = 0; peer < top; peer++) {
            there.add(plan.get(peer, Buffer.SHARED.at(0, blocks.bytes(peer)), blocks.in(Buffer.SHARED, peer), plan.await(peer, 0)));
        }
        there.add(plan.copy(call.input(rank), blocks.in(Buffer.SHARED, rank)));
        plan.post(there);
        plan.copy(collected, all);
    }

    private static void collect(final Call.Allgather call, final AdvancedPlan plan) {
        final Blocks blocks = call.recv();
        final List<Task> there = new ArrayList<>();
        for (int peer = 0; peer < plan.rank(); peer++) {
            if (blocks.bytes(peer) > 0) {
                there.add(plan.get(peer, DirectAllgather.input(call, peer), blocks.in(Buffer.RECV, peer), plan.await(peer, 0)));
            }
        }
        if (!call.inPlace() && blocks.bytes(plan.rank()) > 0) {
            there.add(plan.copy(call.input(plan.rank()), blocks.in(Buffer.RECV, plan.rank())));
        }
        plan.post(there);
    }
}
