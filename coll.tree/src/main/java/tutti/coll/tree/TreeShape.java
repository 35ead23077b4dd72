package tutti.coll.tree;

/**
 * Shape of a tree over the ranks 0 to size-1, for any size. Pure index computations.
 *
 * <p>Rank 0 is the root. A subtree is consecutive ranks, beginning with its own root, so children in ascending order have subtrees in rank order.
 * A later child has a subtree at least as deep as an earlier one, unless the tree ends within it.
 */
interface TreeShape {

    /** Returns the node of {@code rank}, {@code 0 <= rank < size}. */
    TreeNode at(int rank, int size);

    /** Returns the largest number of children of a rank. */
    int degree(int size);

    /** Returns whether a balanced {@link ChildReduction} is canonical. */
    boolean isCanonical();
}
