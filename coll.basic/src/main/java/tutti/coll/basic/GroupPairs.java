package tutti.coll.basic;

import java.util.stream.IntStream;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Task;

/**
 * Pairs of ranks of two groups: rank r of the larger group is paired with rank r modulo q of the smaller group of q ranks. Every rank receives from
 * its partner. A rank of the smaller group sends to all its partners, the first of which sends to it.
 *
 * <pre>
 *   5 and 2 ranks     0 ↔ a,  1 ↔ b,  a → 2,  b → 3,  a → 4
 * </pre>
 *
 * @param rank   this rank
 * @param size   number of ranks of its group
 * @param remote number of ranks of the other group
 */
record GroupPairs(int rank, int size, int remote) {

    static GroupPairs of(final Plan plan) {
        return new GroupPairs(plan.rank(), plan.size(), plan.remoteSize());
    }

    /** Returns the rank from which this one receives. */
    private int source() {
        return rank % remote;
    }

    /** Returns the ranks to which this one sends. */
    private IntStream destinations() {
        return IntStream.iterate(rank, r -> r < remote, r -> r + size);
    }

    /**
     * Plans the exchange of data with the partners.
     *
     * @param data  what this rank sends
     * @param into  where it receives
     * @param ready tasks that must be complete before the data is sent, besides those that the memory shows
     */
    void exchange(final Plan plan, final BufferRange data, final BufferRange into, final Task... ready) {
        destinations().forEach(peer -> plan.send(data, peer, ready));
        plan.recv(into, source());
    }
}
