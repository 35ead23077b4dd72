package tutti.coll.tree;

/**
 * The form of a tree over the ranks 0 to size-1, for any size. Index maths, and nothing else.
 *
 * <p>Rank 0 is the root. A subtree is a run of ranks that begins with its own root, so children in rising order have subtrees in rank order.
 * A later child has a subtree at least as deep as an earlier one, unless the tree ends within it.
 */
interface TreeShape {

    /** The place of {@code rank}, {@code 0 <= rank < size}. */
    TreeNode at(int rank, int size);

    /** The most children that a rank has. */
    int degree(int size);

    /** Whether taking in the children by {@link Bracketing#BALANCED} is canonical. */
    boolean isCanonical();
}
