package tutti.coll.basic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Plan;

/** Moves a block along every edge of a rank's neighbourhood, each by a message of its own. */
final class NeighborExchange {
    private NeighborExchange() { }

    /**
     * Plans a receive for each source and a send for each destination, in their order, which is that in which they meet.
     *
     * @param outgoing the block for the destination at a place
     * @param incoming the block of the source at a place
     */
    static void plan(final Neighbors neighbors, final IntFunction<BufferRange> outgoing, final IntFunction<BufferRange> incoming, final Plan plan) {
        final Deque<BufferRange> toItself = new ArrayDeque<>();
        for (int i = 0; i < neighbors.sources(); i++) {
            final int source = neighbors.source(i);
            final BufferRange block = incoming.apply(i);
            if (source == plan.rank()) {
                toItself.add(block);
            } else if (source != Call.PROC_NULL && block.bytes() > 0) {
                plan.recv(block, source);
            }
        }
        for (int i = 0; i < neighbors.destinations(); i++) {
            final int destination = neighbors.destination(i);
            final BufferRange block = outgoing.apply(i);
            if (destination == plan.rank()) {
                copy(block, toItself.poll(), plan);
            } else if (destination != Call.PROC_NULL && block.bytes() > 0) {
                plan.send(block, destination);
            }
        }
        if (!toItself.isEmpty()) {
            throw new IllegalArgumentException("an edge of a rank to itself has no beginning: " + neighbors);
        }
    }

    private static void copy(final BufferRange from, final BufferRange into, final Plan plan) {
        if (into == null) {
            throw new IllegalArgumentException("an edge of a rank to itself has no end: from=" + from);
        }
        if (from.bytes() > 0 || into.bytes() > 0) {
            plan.copy(from, into);
        }
    }
}
