package tutti.coll.basic;

/**
 * Index computations of the binomial tree over the virtual ranks 0 to size-1, rooted at 0.
 *
 * <p>A tree with another root numbers the ranks from that root: virtual rank v is rank {@code CyclicRanks.up(v, root, size)}.
 *
 * <p>The parent of v is v without its lowest set bit. The subtree of v therefore consists of the consecutive ranks v, v+1, …, and the blocks
 * that a subtree gathers are in rank order.
 *
 * <pre>
 *           0
 *         / | \           size 5: 0 has the children 1, 2, 4; 2 has the child 3
 *        1  2  4
 *           |
 *           3
 * </pre>
 */
final class Binomial {
    private Binomial() {}

    /** Returns the parent of {@code v}, which must not be the root 0. */
    static int parent(final int v) {
        return v & (v - 1);
    }

    /** Returns the number of ranks in the subtree of {@code v}, including {@code v}. */
    static int subtree(final int v, final int size) {
        return v == 0 ? size : Math.min(Integer.lowestOneBit(v), size - v);
    }

    /** Returns the number of children of {@code v}. Child i is {@code v + (1 << i)}; a later child has a subtree at least as deep. */
    static int children(final int v, final int size) {
        return log2(subtree(v, size));
    }

    /** Returns the logarithm of {@code n} to base 2, rounded up: the rounds that reach n ranks if their number doubles in each. */
    static int log2(final int n) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
    }
}
