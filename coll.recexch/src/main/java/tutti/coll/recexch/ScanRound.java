package tutti.coll.recexch;

import java.util.ArrayList;
import java.util.List;

/**
 * Index maths of one round of a scan by recursive doubling, as one rank sees it: pure functions.
 *
 * @param rank   whose round it is
 * @param size   ranks
 * @param span   how far apart those are that meet: the ranks of a block whose total they know
 * @param radix  how many meet, where there are so many
 */
record ScanRound(int rank, int size, long span, int radix) {

    /** All rounds of a rank. */
    static List<ScanRound> all(final int rank, final int size, final int radix) {
        final List<ScanRound> rounds = new ArrayList<>();
        for (long span = 1; span < size; span *= radix) {
            rounds.add(new ScanRound(rank, size, span, radix));
        }
        return rounds;
    }

    /** Which of those that meet the rank is, from 0. */
    int digit() {
        return (int) (rank / span % radix);
    }

    /** One of those that meet; maybe beyond the last rank. */
    long member(final int digit) {
        return rank + (digit - digit()) * span;
    }

    /** Whether the rank needs the total of the next larger block, which then is full: someone above wants it. */
    boolean needsTotal() {
        return needsTotal(rank);
    }

    private boolean needsTotal(final long other) {
        return other + span * radix < size;
    }

    /** Whether the rank gives its total to one of those that meet. */
    boolean sendsTo(final int digit) {
        return digit > digit() ? member(digit) < size : digit < digit() && needsTotal(member(digit));
    }

    /** Whether the rank needs the total of one of those that meet. */
    boolean receivesFrom(final int digit) {
        return digit < digit() || digit > digit() && needsTotal();
    }
}
