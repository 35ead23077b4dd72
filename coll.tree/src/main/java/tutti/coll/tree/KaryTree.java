package tutti.coll.tree;

/**
 * k-ary tree: every rank has at most k children, whose subtrees differ by at most one rank. Ranks are numbered in pre-order, so that subtrees are
 * consecutive ranks. No k-ary tree of the size has fewer levels.
 *
 * <pre>
 *   k = 2, size 8       0
 *                     /   \
 *                    1     4
 *                   / \   / \
 *                  2   3 5   6
 *                             \
 *                              7
 * </pre>
 *
 * @param k largest number of children of a rank, at least 2
 */
record KaryTree(int k) implements TreeShape {

    /** Ranks below a root, distributed to its branches: the last {@code longer} branches have one rank more than the others. */
    private record Branches(int first, int count, int shortest, int longer) {

        static Branches below(final int root, final int members, final int k) {
            final int rest = members - 1;
            final int count = Math.min(k, rest);
            return count == 0 ? new Branches(root + 1, 0, 0, 0) : new Branches(root + 1, count, rest / count, rest % count);
        }

        /** Returns the first rank of a branch; for the branch after the last, the rank after all of them. */
        int start(final int branch) {
            return first + branch * shortest + Math.max(0, branch - (count - longer));
        }

        /** Returns the branch that contains a rank. */
        int of(final int rank) {
            final int firstLonger = start(count - longer);
            return rank < firstLonger ? (rank - first) / shortest : count - longer + (rank - firstLonger) / (shortest + 1);
        }
    }

    @Override
    public TreeNode at(final int rank, final int size) {
        int parent = -1;
        int root = 0;
        int end = size;
        while (root != rank) {
            final Branches branches = Branches.below(root, end - root, k);
            final int branch = branches.of(rank);
            parent = root;
            root = branches.start(branch);
            end = branches.start(branch + 1);
        }
        final Branches branches = Branches.below(rank, end - rank, k);
        final int[] children = new int[branches.count];
        for (int i = 0; i < children.length; i++) {
            children[i] = branches.start(i);
        }
        return new TreeNode(rank, end - rank, parent, children);
    }

    @Override
    public int degree(final int size) {
        return Math.min(k, size - 1);
    }

    @Override
    public boolean isCanonical() {
        return false;
    }
}
