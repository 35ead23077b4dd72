package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Alltoall without messages: every rank copies its blocks directly from the buffers of the others.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of High
 * Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521 (there: pairwise exchange with messages).
 * <p>Idea: all blocks have one size, so every rank knows the offsets of its own. Each rank posts that its data is available, reads from all others,
 * starting with its right neighbour, posts that it has, and returns when all others have. In place, a block may be overwritten only after its
 * receiver has read it. So the blocks of others are read to scratch memory, in batches as large as fit. They replace the own blocks when the peers
 * have posted that they have read theirs. Short data, all blocks of a rank together, is read from a copy in shared memory, and no rank waits.
 * <pre>
 *   4 ranks, read by rank 1                        2, 3, 0
 *   4 ranks, in place, read by rank 1, 2 at a time     0, (itself);  then 3, 2
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, p-1 reads of m bytes on each rank, all ranks at the same
 * time; 2 hops from post to await; no messages. In place with b batches: (1+b)p posts, and the blocks are copied once more.
 * Short data: p posts, p(p-1) awaits, 1 hop, and one copy of pm bytes before.
 * <p>Needs: all ranks on one node; blocks of one size; any p. Alltoallv and alltoallw are not offered: only a sender knows the offsets of its blocks.
 * <p>Memory: none; in place at most {@value #MAX_SCRATCH} bytes, or one block where that is longer.
 */
final class DirectAlltoall implements AdvancedAlgorithm<Call.Alltoall> {
    static final String NAME = "direct";
    /** The largest scratch memory in place, if a block is not longer. */
    static final long MAX_SCRATCH = 1 << 18;

    private final long eager;

    /** @param eager bytes up to which the blocks of a rank are read from a copy */
    DirectAlltoall(final long eager) {
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Alltoall call, final AdvancedPlan plan) {
        if (call.recv().total() > 0 && call.recv().total() <= eager) {
            moveShort(call, plan);
        } else if (call.recv().total() > 0) {
            planAmong(IntStream.range(0, plan.size()).boxed().toList(), call, plan);
        }
    }

    /** Plans the exchange among some ranks of a node, whose blocks for each other are not empty. */
    static void planAmong(final List<Integer> members, final Call.Alltoall call, final AdvancedPlan plan) {
        if (!call.inPlace()) {
            move(members, call, plan);
        } else if (members.size() > 1) {
            swap(members, call, plan);
        }
    }

    private static void moveShort(final Call.Alltoall call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final Buffer own = call.inPlace() ? Buffer.RECV : Buffer.SEND;
        EagerCopy.post(plan, own.at(0, call.recv().total()), EagerCopy.others(plan));
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(rank, i, plan.size());
            plan.get(peer, call.recv().in(Buffer.SHARED, rank), call.recv().in(Buffer.RECV, peer), plan.await(peer, 0));
        }
        if (!call.inPlace()) {
            plan.copy(call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, rank));
        }
    }

    private static void move(final List<Integer> members, final Call.Alltoall call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int own = members.indexOf(rank);
        final int size = members.size();
        if (size > 1) {
            plan.post();
        }
        final List<Task> read = new ArrayList<>();
        for (int i = 1; i < size; i++) {
            final int peer = members.get(CyclicRanks.up(own, i, size));
            read.add(plan.get(peer, call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, peer), plan.await(peer, 0)));
        }
        plan.copy(call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, rank));
        if (size > 1) {
            plan.post(read);
        }
        for (int i = 1; i < size; i++) {
            plan.await(members.get(CyclicRanks.up(own, i, size)), 1);
        }
    }

    /**
     * Plans the exchange in place. In round s, ranks exchange whose indices add up to s modulo p. A batch of rounds passes through scratch memory at
     * once.
     */
    private static void swap(final List<Integer> members, final Call.Alltoall call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int own = members.indexOf(rank);
        final int size = members.size();
        final long bytes = call.recv().bytes(0);
        final int batch = Math.clamp(MAX_SCRATCH / bytes, 1, size);
        final BufferRange scratch = plan.scratch(batch * bytes);
        plan.post();
        for (int first = 0, post = 1; first < size; first += batch, post++) {
            final int end = Math.min(first + batch, size);
            final List<Task> read = new ArrayList<>();
            for (int s = first; s < end; s++) {
                final int peer = members.get(CyclicRanks.partner(own, s, size));
                if (peer != rank) {
                    read.add(plan.get(peer, call.recv().in(Buffer.RECV, rank), scratch.slice((s - first) * bytes, bytes), plan.await(peer, 0)));
                }
            }
            plan.post(read);
            for (int s = first; s < end; s++) {
                final int peer = members.get(CyclicRanks.partner(own, s, size));
                if (peer != rank) {
                    plan.copy(scratch.slice((s - first) * bytes, bytes), call.recv().in(Buffer.RECV, peer), plan.await(peer, post));
                }
            }
        }
    }
}
