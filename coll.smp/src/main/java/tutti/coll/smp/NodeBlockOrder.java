package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * Blocks of ranks as leaders exchange them: node by node, in a node rank by rank, one after the other.
 *
 * @param nodes  where ranks are
 * @param starts where each rank's block begins
 * @param blocks the blocks as they lie elsewhere
 */
record NodeBlockOrder(NodeGroups nodes, long[] starts, Blocks blocks) {

    static NodeBlockOrder of(final NodeGroups nodes, final Blocks blocks) {
        final long[] starts = new long[blocks.count()];
        long next = 0;
        for (final List<Integer> members : nodes.members()) {
            for (final int rank : members) {
                starts[rank] = next;
                next += blocks.bytes(rank);
            }
        }
        return new NodeBlockOrder(nodes, starts, blocks);
    }

    /** Whether the blocks lie like that elsewhere, too. */
    boolean isTrivial() {
        for (int rank = 0; rank < starts.length; rank++) {
            if (blocks.bytes(rank) > 0 && blocks.offset(rank) != starts[rank]) {
                return false;
            }
        }
        return true;
    }

    /** What all blocks of a node take. */
    Blocks ofNodes() {
        final long[] lengths = new long[nodes.count()];
        for (int node = 0; node < lengths.length; node++) {
            for (final int rank : nodes.members().get(node)) {
                lengths[node] += blocks.bytes(rank);
            }
        }
        return Blocks.packed(lengths);
    }

    /** A rank's block in a buffer that holds all blocks. */
    BufferRange in(final Buffer buffer, final int rank) {
        return buffer.at(starts[rank], blocks.bytes(rank));
    }

    /** A rank's block in a buffer that holds those of its node. */
    BufferRange inNode(final Buffer buffer, final int rank) {
        return buffer.at(starts[rank] - starts[nodes.with(rank).getFirst()], blocks.bytes(rank));
    }

    /** The ranks that have blocks that are not empty, of some. */
    List<Integer> filled(final List<Integer> ranks) {
        final List<Integer> filled = new ArrayList<>();
        for (final int rank : ranks) {
            if (blocks.bytes(rank) > 0) {
                filled.add(rank);
            }
        }
        return filled;
    }
}
