package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * The order in which leaders exchange the blocks of ranks: contiguous, node by node, and in rank order within a node.
 *
 * @param nodes  the ranks, grouped by node
 * @param starts offset of each rank's block in this order
 * @param callBlocks the blocks in the order of the call
 */
record NodeBlockOrder(NodeGroups nodes, long[] starts, Blocks callBlocks) {

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

    /** Returns whether the blocks of the call are in this order already. */
    boolean isTrivial() {
        for (int rank = 0; rank < starts.length; rank++) {
            if (callBlocks.bytes(rank) > 0 && callBlocks.offset(rank) != starts[rank]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the blocks of the nodes: each holds all blocks of the node's ranks. */
    Blocks nodeBlocks() {
        final long[] lengths = new long[nodes.count()];
        for (int node = 0; node < lengths.length; node++) {
            for (final int rank : nodes.members().get(node)) {
                lengths[node] += callBlocks.bytes(rank);
            }
        }
        return Blocks.packed(lengths);
    }

    /** Returns the range of a rank's block in a buffer that holds all blocks. */
    BufferRange in(final Buffer buffer, final int rank) {
        return buffer.at(starts[rank], callBlocks.bytes(rank));
    }

    /** Returns the range of a rank's block in a buffer that holds the blocks of the rank's node. */
    BufferRange inNode(final Buffer buffer, final int rank) {
        return buffer.at(starts[rank] - starts[nodes.nodeMembers(rank).getFirst()], callBlocks.bytes(rank));
    }

    /** Returns those of the given ranks whose blocks are not empty. */
    List<Integer> nonEmpty(final List<Integer> ranks) {
        final List<Integer> filled = new ArrayList<>();
        for (final int rank : ranks) {
            if (callBlocks.bytes(rank) > 0) {
                filled.add(rank);
            }
        }
        return filled;
    }
}
