package tutti.coll.tree;

/**
 * One rank's place in a tree.
 *
 * @param rank     whose place it is
 * @param members  ranks in its subtree, itself included: {@code rank} to {@code rank + members - 1}
 * @param parent   the parent; -1 at the root
 * @param children the children in rising order
 */
record TreeNode(int rank, int members, int parent, int[] children) {

    /** The rank after the last of child {@code i}'s subtree. */
    int endOf(final int i) {
        return i + 1 < children.length ? children[i + 1] : rank + members;
    }
}
