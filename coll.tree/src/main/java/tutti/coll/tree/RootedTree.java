package tutti.coll.tree;

import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.CyclicRanks;

/**
 * Tree with any root, seen from the planning rank. Virtual ranks are the ranks counted from the root on, modulo the number of ranks.
 *
 * @param node node of the planning rank, in virtual ranks
 * @param root the root
 * @param size number of ranks
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

    /** Returns the number of children. */
    int children() {
        return node.children().length;
    }

    int child(final int i) {
        return rank(node.children()[i]);
    }

    /** Returns the number of ranks in the subtree of child {@code i}. */
    int members(final int i) {
        return node.endOf(i) - node.children()[i];
    }

    /** Returns the blocks of child {@code i}'s subtree, as a slice of those of this rank's subtree, which are of one size. */
    BufferRange blocksOf(final int i, final BufferRange subtree) {
        final long bytes = subtree.bytes() / node.members();
        return subtree.slice((node.children()[i] - node.rank()) * bytes, members(i) * bytes);
    }

    /** Returns the blocks of child {@code i}'s subtree in a buffer of the root: one range, or two where the subtree wraps around at the last rank. */
    List<BufferRange> blocksOf(final int i, final Buffer buffer, final Blocks blocks) {
        return new CyclicRange(blocks, child(i), members(i)).segments(buffer).stream().map(CyclicRange.Segment::range).toList();
    }

    /**
     * Returns the messages with which this rank and its parent exchange the blocks of this rank's subtree, as slices of them: one, or two where the
     * parent is the root and the subtree wraps around at the last rank.
     */
    List<BufferRange> messages(final BufferRange subtree) {
        final int head = CyclicRanks.head(rank(node.rank()), node.members(), size);
        if (node.parent() != 0 || head == node.members()) {
            return List.of(subtree);
        }
        final long split = subtree.bytes() / node.members() * head;
        return List.of(subtree.slice(0, split), subtree.slice(split, subtree.bytes() - split));
    }

    /** Adds tasks that send data to the children, the deepest subtree first. */
    void sendToChildren(final Plan plan, final BufferRange data, final Task... after) {
        for (int i = children() - 1; i >= 0; i--) {
            plan.send(data, child(i), after);
        }
    }

    /** Returns the rank of virtual rank {@code v}. */
    int rank(final int v) {
        return CyclicRanks.up(root, v, size);
    }
}
