package tutti.coll.basic;

import tutti.coll.patterns.CyclicRanks;

/**
 * The parent and children of one rank in a binomial reduction to any root.
 *
 * <p>If operands may be swapped, ranks are numbered from the root and form one binomial tree. If not, that numbering would combine the ranks
 * below the root last. These ranks form a separate tree instead, rooted at rank 0. The root combines its result as the lower operand at the
 * end.
 *
 * <pre>
 *   size 5, root 2, commutative:  2 ← 3, 2 ← 4 ← 0, 2 ← 1      (numbered 2 3 4 0 1)
 *   size 5, root 2, in order:     2 ← 3, 2 ← 4; 0 ← 1; 2 ← 0   ((0 1) (2 3 4))
 * </pre>
 *
 * @param parent the rank that receives this rank's result; -1 on the root
 * @param higher the children that are combined one by one as the higher operand, in this order
 * @param lower  the child that is combined last as the lower operand; -1 for none
 */
record BinomialReduceTree(int parent, int[] higher, int lower) {

    /** Returns the parent and children of {@code rank}. */
    static BinomialReduceTree of(final int rank, final int size, final int root, final boolean commutative) {
        if (commutative) {
            return part(CyclicRanks.down(rank, root, size), size, root, size, -1, -1);
        }
        if (rank < root) {
            return part(rank, root, 0, size, root, -1);
        }
        return part(rank - root, size - root, root, size, -1, root > 0 ? 0 : -1);
    }

    private static BinomialReduceTree part(final int v, final int members, final int base, final int size, final int above, final int lower) {
        final int[] children = new int[Binomial.children(v, members)];
        for (int i = 0; i < children.length; i++) {
            children[i] = CyclicRanks.up(v + (1 << i), base, size);
        }
        final int parent = v == 0 ? above : CyclicRanks.up(Binomial.parent(v), base, size);
        return new BinomialReduceTree(parent, children, v == 0 ? lower : -1);
    }
}
