package tutti.coll.basic;

/**
 * Index maths of the binomial tree over the virtual ranks 0 to size-1, rooted at 0.
 *
 * <p>A tree with another root counts ranks from there on: virtual rank v is {@code Circle.up(v, root, size)}.
 *
 * <p>The parent of v is v without its lowest set bit, so the subtree of v is the run v, v+1, … of ranks: what a subtree gathers
 * lies in rank order.
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
    private Binomial() { }

    /** The parent of {@code v}; the root, 0, has none. */
    static int parent(final int v) {
        return v & (v - 1);
    }

    /** Ranks in the subtree of {@code v}, itself included. */
    static int subtree(final int v, final int size) {
        return v == 0 ? size : Math.min(Integer.lowestOneBit(v), size - v);
    }

    /** How many children {@code v} has; child i is {@code v + (1 << i)}, and a later child has a subtree at least as deep. */
    static int children(final int v, final int size) {
        return log2(subtree(v, size));
    }

    /** The logarithm of {@code n} to base 2, rounded up: the rounds that n ranks need when their number can double in each. */
    static int log2(final int n) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(n - 1);
    }
}
