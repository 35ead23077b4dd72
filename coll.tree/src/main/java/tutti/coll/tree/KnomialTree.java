package tutti.coll.tree;

import java.util.stream.IntStream;

/**
 * k-nomial tree: the parent of a rank is the rank without its lowest digit to base k that is not 0.
 *
 * <pre>
 *   k = 3, size 8       0                  0 has the children 1, 2, 3 and 6;
 *                    / / \ \               3 has 4 and 5, 6 has 7
 *                   1 2   3 6
 *                        /|  \
 *                       4 5   7
 * </pre>
 *
 * @param k factor by which the number of reached ranks grows in a level, at least 2; with 2 the tree is binomial
 */
record KnomialTree(int k) implements TreeShape {

    @Override
    public TreeNode at(final int rank, final int size) {
        final long reach = reach(rank, size);
        final int end = (int) Math.min(rank + reach, size);
        final IntStream.Builder children = IntStream.builder();
        for (long step = 1; step < reach; step *= k) {
            for (long child = rank + step; child < Math.min(rank + step * k, end); child += step) {
                children.add((int) child);
            }
        }
        final int parent = rank == 0 ? -1 : (int) (rank - rank / reach % k * reach);
        return new TreeNode(rank, end - rank, parent, children.build().toArray());
    }

    /** Returns the weight of the rank's lowest digit that is not 0; for rank 0, of the first digit that no rank has. */
    private long reach(final int rank, final int size) {
        long reach = 1;
        while (rank == 0 ? reach < size : rank / reach % k == 0) {
            reach *= k;
        }
        return reach;
    }

    @Override
    public int degree(final int size) {
        return at(0, size).children().length;
    }

    @Override
    public boolean isCanonical() {
        return Integer.bitCount(k) == 1;
    }
}
