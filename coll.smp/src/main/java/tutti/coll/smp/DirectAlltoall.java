package tutti.coll.smp;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Alltoall without messages: every rank copies its blocks straight out of the buffers of the others.
 *
 * <p>Source: textbook.
 * <p>Idea: blocks are of one size, so every rank knows where its own lie. Each posts that its data is there, reads from all others, beginning
 * with its right neighbour, posts that it has, and leaves when all others have. In place a block may be replaced only when its receiver has read
 * it: the others' blocks are read to scratch memory, as many at a time as fit, and replace the own ones when their owners have told that they
 * have read theirs.
 * <pre>
 *   4 ranks, read by rank 1                        2, 3, 0
 *   4 ranks, in place, read by rank 1, 2 at a time     0, (itself);  then 3, 2
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, p-1 reads of m bytes on each rank, all ranks at the
 * same time; 2 hops from post to await; no messages. In place with b batches: (1+b)p posts, and the blocks are copied once more.
 * <p>Needs: all ranks on one node; blocks of one size; any p. Alltoallv and alltoallw are left out: only a sender knows where its blocks lie.
 * <p>Memory: none; in place at most {@value #WINDOW} bytes, or one block where that is longer.
 */
final class DirectAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "direct";
    /** Most scratch memory in place, if blocks are not longer. */
    static final long WINDOW = 1 << 18;

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.recv().total() > 0) {
            among(IntStream.range(0, plan.size()).boxed().toList(), call, plan);
        }
    }

    /** What one of some ranks of a node does about the blocks that they have for each other, which are not empty. */
    static void among(final List<Integer> members, final Call.Alltoall call, final Plan plan) {
        if (!call.inPlace()) {
            move(members, call, plan);
        } else if (members.size() > 1) {
            swap(members, call, plan);
        }
    }

    private static void move(final List<Integer> members, final Call.Alltoall call, final Plan plan) {
        final int rank = plan.rank();
        final int own = members.indexOf(rank);
        final int size = members.size();
        if (size > 1) {
            plan.post();
        }
        final Dependencies read = new Dependencies();
        for (int i = 1; i < size; i++) {
            final int peer = members.get((own + i) % size);
            read.add(plan.get(peer, call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, peer), plan.await(peer, 0)));
        }
        plan.copy(call.send().in(Buffer.SEND, rank), call.recv().in(Buffer.RECV, rank));
        if (size > 1) {
            plan.post(read.all());
        }
        for (int i = 1; i < size; i++) {
            plan.await(members.get((own + i) % size), 1);
        }
    }

    /** In round s, ranks whose places add up to s modulo p meet; a batch of rounds goes through scratch memory at once. */
    private static void swap(final List<Integer> members, final Call.Alltoall call, final Plan plan) {
        final int rank = plan.rank();
        final int own = members.indexOf(rank);
        final int size = members.size();
        final long bytes = call.recv().bytes(0);
        final int batch = Math.clamp(WINDOW / bytes, 1, size);
        final BufferRange scratch = plan.scratch(batch * bytes);
        final int[][] replaced = new int[batch][0];
        plan.post();
        for (int first = 0, told = 1; first < size; first += batch, told++) {
            final int end = Math.min(first + batch, size);
            final Dependencies read = new Dependencies();
            final int[] got = new int[batch];
            for (int s = first; s < end; s++) {
                final int peer = members.get(partner(own, s, size));
                if (peer != rank) {
                    got[s - first] = plan.get(peer, call.recv().in(Buffer.RECV, rank), scratch.slice((s - first) * bytes, bytes),
                        new Dependencies().add(plan.await(peer, 0)).add(replaced[s - first]).all());
                    read.add(got[s - first]);
                }
            }
            plan.post(read.all());
            for (int s = first; s < end; s++) {
                final int peer = members.get(partner(own, s, size));
                if (peer != rank) {
                    replaced[s - first] = Dependencies.of(plan.copy(scratch.slice((s - first) * bytes, bytes), call.recv().in(Buffer.RECV, peer),
                        got[s - first], plan.await(peer, told)));
                }
            }
        }
    }

    /** With whom a place swaps in a round; itself when it pauses. */
    static int partner(final int place, final int round, final int size) {
        return (round - place + size) % size;
    }
}
