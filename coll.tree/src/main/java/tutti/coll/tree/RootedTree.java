package tutti.coll.tree;

import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/**
 * The planning rank's place in a tree that has any rank as its root: ranks are counted from the root on, around.
 *
 * @param node its place among ranks that are so counted
 * @param root the root
 * @param size ranks
 */
record RootedTree(TreeNode node, int root, int size) {

    static RootedTree of(final TreeShape shape, final Plan plan, final int root) {
        final int size = plan.size();
        return new RootedTree(shape.at(Math.floorMod(plan.rank() - root, size), size), root, size);
    }

    boolean isRoot() {
        return node.parent() < 0;
    }

    int parent() {
        return rank(node.parent());
    }

    /** How many children the rank has. */
    int children() {
        return node.children().length;
    }

    int child(final int i) {
        return rank(node.children()[i]);
    }

    /** How many ranks of this one's subtree lie before rank 0, where the parent is the root and the subtree passes the last rank; else all. */
    int head() {
        return node.parent() == 0 ? head(node.rank(), node.rank() + node.members()) : node.members();
    }

    private int head(final int from, final int end) {
        return from < size - root ? Math.min(end, size - root) - from : end - from;
    }

    /** Where the blocks of child {@code i}'s subtree lie that are one after the other: one piece, or two where it passes the last rank. */
    List<BufferRange> runs(final int i, final Buffer buffer, final Blocks blocks) {
        final int from = node.children()[i];
        final int end = node.endOf(i);
        final int head = head(from, end);
        final long bytes = blocks.bytes(0);
        final BufferRange first = buffer.at(blocks.offset(rank(from)), head * bytes);
        return from + head == end ? List.of(first) : List.of(first, buffer.at(0, (end - from - head) * bytes));
    }

    /** The rank that is counted {@code v}. */
    int rank(final int v) {
        return v < size - root ? v + root : v + root - size;
    }
}
