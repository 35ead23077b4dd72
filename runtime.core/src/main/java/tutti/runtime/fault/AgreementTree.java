package tutti.runtime.fault;

/**
 * Binomial tree of the ranks of an agreement. The parent of a rank is the number without its lowest bit, so the subtree of a rank is a range of
 * ranks, and ranks that are next to each other, often on one node, are close in the tree. A failed rank's children belong to its nearest live
 * ancestor, or to the leader if all their ancestors have failed. The parent always is a lower rank, whatever each rank knows of failures: there are
 * no cycles.
 */
record AgreementTree(int size) {
    /** Returns the rank and all ranks below it in the tree of all ranks, live or not. */
    RankSet subtree(final int rank) {
        return rank == 0 ? RankSet.all(size) : RankSet.range(rank, Math.min(size, rank + Integer.lowestOneBit(rank)));
    }

    /** Returns the parent of a live rank that is not the leader. */
    int parent(final int rank, final RankSet failed) {
        int parent = rank & rank - 1;
        while (parent != 0 && failed.contains(parent)) {
            parent &= parent - 1;
        }
        return failed.contains(parent) ? failed.lowestMissing() : parent;
    }

    /** Returns the children of a live rank. */
    RankSet children(final int rank, final RankSet failed) {
        final RankSet own = nearest(rank, failed, RankSet.none());
        return rank == failed.lowestMissing() && rank != 0 ? nearest(0, failed, own).minus(RankSet.of(rank)) : own;
    }

    /** Adds the live ranks below a rank that have no live rank between. */
    private RankSet nearest(final int rank, final RankSet failed, final RankSet found) {
        RankSet result = found;
        final int end = rank == 0 ? size : Math.min(size - rank, Integer.lowestOneBit(rank));
        for (int step = 1; step > 0 && step < end; step <<= 1) {
            result = failed.contains(rank + step) ? nearest(rank + step, failed, result) : result.with(rank + step);
        }
        return result;
    }
}
