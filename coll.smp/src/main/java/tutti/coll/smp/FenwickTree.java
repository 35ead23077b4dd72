package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;

/**
 * The index structure of {@link FenwickScan}: which partial reduction each rank keeps for the prefixes of others. A rank keeps the reduction over the
 * longest run of 2^k consecutive ranks that ends with it, where 2^k divides the number of ranks up to it.
 *
 * <p>A prefix is the reduction of a few runs, the longest first. Combined from the last to the first, they have the brackets of {@link
 * tutti.coll.ReductionOrder#CANONICAL}. A run of 2^k ranks is itself such a reduction: the rank alone, before it the run of one rank, before that the
 * run of two, and so on.
 * <pre>
 *   kept by rank     0: (0)   1: (0 1)   2: (2)   3: ((0 1) (2 3))   4: (4)   5: (4 5)   6: (6)   7: (all)
 *   ranks 0 to 6     3, 5, 6
 * </pre>
 *
 * <p>Source: P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24(3), 1994,
 * doi:10.1002/spe.4380240306. Stateless.
 */
final class FenwickTree {
    private FenwickTree() {}

    /** Returns the number of ranks in the run that {@code rank} keeps. */
    static int run(final int rank) {
        return Integer.lowestOneBit(rank + 1);
    }

    /** Returns the ranks whose runs, with {@code rank} itself, make up the run that {@code rank} keeps, from the last to the first. */
    static List<Integer> parts(final int rank) {
        final List<Integer> parts = new ArrayList<>();
        for (int step = 1; step < run(rank); step *= 2) {
            parts.add(rank - step);
        }
        return parts;
    }

    /** Returns the ranks whose runs make up the first {@code count} ranks, from the last to the first. */
    static List<Integer> prefix(final int count) {
        final List<Integer> parts = new ArrayList<>();
        for (int end = count; end > 0; end -= Integer.lowestOneBit(end)) {
            parts.add(end - 1);
        }
        return parts;
    }
}
