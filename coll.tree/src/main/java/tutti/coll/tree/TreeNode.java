package tutti.coll.tree;

/**
 * Node of a tree.
 *
 * @param rank     rank of the node
 * @param members  number of ranks in its subtree, itself included: {@code rank} to {@code rank + members - 1}
 * @param parent   the parent; -1 at the root
 * @param children the children in ascending order
 */
record TreeNode(int rank, int members, int parent, int[] children) {

    /** Returns the rank after the last one of child {@code i}'s subtree. */
    int endOf(final int i) {
        return i + 1 < children.length ? children[i + 1] : rank + members;
    }
}
