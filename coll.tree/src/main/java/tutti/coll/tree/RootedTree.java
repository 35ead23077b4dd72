package tutti.coll.tree;

import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Plan;
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

    /**
     * Returns how many ranks of this rank's subtree are before rank 0, where the parent is the root and the subtree wraps around at the last rank;
     * else all of them.
     */
    int head() {
        return node.parent() == 0 ? CyclicRanks.head(rank(node.rank()), node.members(), size) : node.members();
    }

    /** Returns the ranges of the blocks of child {@code i}'s subtree, which are stored one after the other: one, or two where it wraps around. */
    List<CyclicRange.Segment> ranges(final int i, final Buffer buffer, final Blocks blocks) {
        final int from = node.children()[i];
        return new CyclicRange(blocks, rank(from), node.endOf(i) - from).segments(buffer);
    }

    /** Returns the rank of virtual rank {@code v}. */
    int rank(final int v) {
        return CyclicRanks.up(root, v, size);
    }
}
