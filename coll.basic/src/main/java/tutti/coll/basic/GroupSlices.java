package tutti.coll.basic;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.patterns.EvenPartition;

/**
 * Data of a group that all its ranks send to the other group, each a slice. Each group divides the data evenly among its ranks, so a rank sends to
 * those ranks whose slices overlap its own.
 *
 * <pre>
 *   12 elements of a group of 3 ranks for one of 2:   0 → a [0..4),  1 → a [4..6),  1 → b [6..8),  2 → b [8..12)
 * </pre>
 *
 * @param senders   the slices of the ranks that send
 * @param receivers the slices of the ranks that receive
 */
record GroupSlices(EvenPartition senders, EvenPartition receivers) {

    /**
     * Returns the slices of some data.
     *
     * @param bytes   length of the data
     * @param element length of an element, which is not divided
     * @param from    number of ranks that send
     * @param to      number of ranks that receive
     */
    static GroupSlices of(final long bytes, final long element, final int from, final int to) {
        return new GroupSlices(new EvenPartition(bytes, element, from), new EvenPartition(bytes, element, to));
    }

    /** Plans the messages of a rank that sends its slice, which is at {@code data}. */
    void send(final AdvancedPlan plan, final BufferRange data) {
        for (int peer = 0; peer < plan.remoteSize(); peer++) {
            final BufferRange part = part(senders, plan.rank(), receivers, peer, data);
            if (part.bytes() > 0) {
                plan.send(part, peer);
            }
        }
    }

    /** Plans the messages of a rank that receives its slice to {@code into}. */
    void recv(final AdvancedPlan plan, final BufferRange into) {
        for (int peer = 0; peer < plan.remoteSize(); peer++) {
            final BufferRange part = part(receivers, plan.rank(), senders, peer, into);
            if (part.bytes() > 0) {
                plan.recv(part, peer);
            }
        }
    }

    /** Returns the part of a rank's slice that overlaps the slice of a rank of the other group. */
    private static BufferRange part(final EvenPartition own, final int rank, final EvenPartition others, final int peer, final BufferRange slice) {
        final long start = Math.max(own.start(rank), others.start(peer));
        final long end = Math.min(own.start(rank + 1), others.start(peer + 1));
        return slice.slice(start < end ? start - own.start(rank) : 0, Math.max(0, end - start));
    }

    /**
     * Plans a reduce-scatter within the group that sends.
     *
     * @param input this rank's contribution
     * @param slice where it receives its slice of the result
     */
    void reduceScatter(final AdvancedPlan plan, final CollSubComm group, final Reduction reduction, final BufferRange input,
        final BufferRange slice) {
        final Blocks layout = layout(senders);
        plan.nested(group, layout.isUniform() ? Operation.REDUCE_SCATTER_BLOCK : Operation.REDUCE_SCATTER,
            new Call.ReduceScatter(reduction, layout, false), input, slice);
    }

    /**
     * Plans an allgather within the group that receives.
     *
     * @param data the data; each rank has its slice there
     */
    void allgather(final AdvancedPlan plan, final CollSubComm group, final BufferRange data) {
        final Blocks layout = layout(receivers);
        plan.nested(group, layout.isUniform() ? Operation.ALLGATHER : Operation.ALLGATHERV,
            new Call.Allgather(layout.bytes(plan.rank()), layout, true), null, data);
    }

    private static Blocks layout(final EvenPartition slices) {
        return slices.bytes() % (slices.element() * slices.blocks()) == 0 ? Blocks.uniform(slices.blocks(), slices.bytes() / slices.blocks())
            : slices.layout();
    }

    /** Returns the range of this rank's slice, where the data is at the start of {@link Buffer#RECV}. */
    BufferRange received(final AdvancedPlan plan) {
        return receivers.of(Buffer.RECV.at(0, receivers.bytes()), plan.rank());
    }
}
