package tutti.coll.recexch;

import java.util.ArrayList;
import java.util.List;

/**
 * One round of a scan by recursive doubling, from one rank's view. Every method is a pure function.
 *
 * @param rank  the rank
 * @param size  number of ranks
 * @param span  distance of the ranks that meet: the number of ranks in a block whose total they know
 * @param radix how many ranks meet, where that many exist
 */
record ScanRound(int rank, int size, long span, int radix) {

    /** Returns all rounds of a rank. */
    static List<ScanRound> all(final int rank, final int size, final int radix) {
        final List<ScanRound> rounds = new ArrayList<>();
        for (long span = 1; span < size; span *= radix) {
            rounds.add(new ScanRound(rank, size, span, radix));
        }
        return rounds;
    }

    /** Returns the index of the rank among those that meet, from 0. */
    int digit() {
        return (int) (rank / span % radix);
    }

    /** Returns the rank with an index among those that meet; it may be beyond the last rank. */
    long rankAt(final int digit) {
        return rank + (digit - digit()) * span;
    }

    /** Returns whether the rank needs the total of the next larger block: a higher rank uses it. The block is complete then. */
    boolean needsTotal() {
        return needsTotal(rank);
    }

    private boolean needsTotal(final long other) {
        return other + span * radix < size;
    }

    /** Returns whether the rank sends its total to the rank with that index. */
    boolean sendsTo(final int digit) {
        return digit > digit() ? rankAt(digit) < size : digit < digit() && needsTotal(rankAt(digit));
    }

    /** Returns whether the rank needs the total of the rank with that index. */
    boolean receivesFrom(final int digit) {
        return digit < digit() || digit > digit() && needsTotal();
    }
}
