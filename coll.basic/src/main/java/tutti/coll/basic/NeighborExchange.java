package tutti.coll.basic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Plan;

/** Exchange of a rank with its neighbours: one block per edge, each in a message of its own. */
final class NeighborExchange {
    private NeighborExchange() {}

    /**
     * Plans a receive for each source and a send for each destination, in the order of the neighbour lists, in which messages match.
     *
     * @param outgoing returns the block for the destination at an index
     * @param incoming returns the block of the source at an index
     * @throws IllegalArgumentException if this rank is not equally often among its sources and its destinations
     */
    static void plan(final Neighbors neighbors, final IntFunction<BufferRange> outgoing, final IntFunction<BufferRange> incoming, final Plan plan) {
        final Deque<BufferRange> selfBlocks = new ArrayDeque<>();
        for (int i = 0; i < neighbors.sources(); i++) {
            final int source = neighbors.source(i);
            final BufferRange block = incoming.apply(i);
            if (source == plan.rank()) {
                selfBlocks.add(block);
            } else if (source != Call.PROC_NULL && block.bytes() > 0) {
                plan.recv(block, source);
            }
        }
        for (int i = 0; i < neighbors.destinations(); i++) {
            final int destination = neighbors.destination(i);
            final BufferRange block = outgoing.apply(i);
            if (destination == plan.rank()) {
                copy(block, selfBlocks.poll(), plan);
            } else if (destination != Call.PROC_NULL && block.bytes() > 0) {
                plan.send(block, destination);
            }
        }
        if (!selfBlocks.isEmpty()) {
            throw new IllegalArgumentException("rank appears more often among its sources than among its destinations: " + neighbors);
        }
    }

    private static void copy(final BufferRange from, final BufferRange into, final Plan plan) {
        if (into == null) {
            throw new IllegalArgumentException("rank appears more often among its destinations than among its sources: from=" + from);
        }
        if (from.bytes() > 0 || into.bytes() > 0) {
            plan.copy(from, into);
        }
    }
}
