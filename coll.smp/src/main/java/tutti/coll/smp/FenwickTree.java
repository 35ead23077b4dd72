package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;

/**
 * The runs of ranks whose reductions are kept for prefixes: each rank keeps that of the longest run of 2^k ranks that ends with it, where k is
 * how often 2 divides the ranks up to it.
 *
 * <p>A prefix is a few of these, the longest first; folded from the last to the first they have the brackets of {@link
 * tutti.coll.ReductionOrder#CANONICAL}. So is a run of 2^k itself: the rank alone, before it the run of one before it, the run of two before that,
 * and so
 * on.
 * <pre>
 *   kept by rank     0: (0)   1: (0 1)   2: (2)   3: ((0 1) (2 3))   4: (4)   5: (4 5)   6: (6)   7: (all)
 *   ranks 0 to 6     3, 5, 6
 * </pre>
 *
 * <p>Source: P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24(3), 1994,
 * doi:10.1002/spe.4380240306. Stateless.
 */
final class FenwickTree {
    private FenwickTree() { }

    /** How many ranks there are in the run that {@code rank} keeps. */
    static int run(final int rank) {
        return Integer.lowestOneBit(rank + 1);
    }

    /** The ranks whose runs make up the run that {@code rank} keeps, but for itself, from the last to the first. */
    static List<Integer> parts(final int rank) {
        final List<Integer> parts = new ArrayList<>();
        for (int step = 1; step < run(rank); step *= 2) {
            parts.add(rank - step);
        }
        return parts;
    }

    /** The ranks whose runs make up the first {@code count} ranks, from the last to the first. */
    static List<Integer> prefix(final int count) {
        final List<Integer> parts = new ArrayList<>();
        for (int end = count; end > 0; end -= Integer.lowestOneBit(end)) {
            parts.add(end - 1);
        }
        return parts;
    }
}
