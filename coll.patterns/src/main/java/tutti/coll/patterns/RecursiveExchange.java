package tutti.coll.patterns;

import java.util.ArrayList;
import java.util.List;

/**
 * Communication pattern of a recursive exchange with any radix among any number of ranks.
 *
 * <p>With q = k^m the largest power of the radix k that is at most p, and f = ⌊p/q⌋, there are m rounds of radix k and, where f > 1, a last one of
 * radix f: f·q ranks take part. The e = p - f·q &lt; q others are among the first 2e ranks, which form neighbouring pairs: one rank of a pair sends
 * its contribution to the other and is inactive. The active ranks have the virtual ranks 0 to f·q-1 in rank order, so aligned blocks of k^i virtual
 * ranks stand for consecutive ranks. In round i a virtual rank meets those that differ from it in digit i alone, at multiples of the distance k^i.
 *
 * <p>Immutable; every method is a pure function.
 */
public final class RecursiveExchange {
    /** Stands for any rank where an active rank is asked for. */
    public static final int ANY_RANK = -1;

    private final int size;
    private final int active;
    private final int vrankCount;
    private final List<Round> rounds;

    /**
     * A round.
     *
     * @param span  distance between virtual ranks that meet
     * @param radix how many virtual ranks meet
     */
    private record Round(int span, int radix) {}

    private RecursiveExchange(final int size, final int active, final int vrankCount, final List<Round> rounds) {
        this.size = size;
        this.active = active;
        this.vrankCount = vrankCount;
        this.rounds = rounds;
    }

    /**
     * Returns the exchange of {@code size} ranks.
     *
     * @param radix at least 2
     * @param active a rank that must be active, or {@link #ANY_RANK}; of every other pair the higher rank is active
     */
    public static RecursiveExchange of(final int size, final int radix, final int active) {
        final List<Round> rounds = new ArrayList<>();
        int span = 1;
        while (span <= size / 2) {
            final int met = Math.min(radix, size / span);
            rounds.add(new Round(span, met));
            span *= met;
        }
        return new RecursiveExchange(size, active, span, List.copyOf(rounds));
    }

    /** Returns the exchange with the rounds in reverse order: from far to near instead of from near to far. */
    public RecursiveExchange reversed() {
        return new RecursiveExchange(size, active, vrankCount, rounds.reversed());
    }

    /** Returns the number of ranks. */
    public int size() {
        return size;
    }

    /** Returns the number of virtual ranks. */
    public int vrankCount() {
        return vrankCount;
    }

    /** Returns the number of pairs of ranks that share a virtual rank. */
    public int pairCount() {
        return size - vrankCount;
    }

    /** Returns the number of rounds. */
    public int rounds() {
        return rounds.size();
    }

    /** Returns how many virtual ranks meet in a round. */
    public int radix(final int round) {
        return rounds.get(round).radix;
    }

    /** Returns the distance between virtual ranks that meet in a round. */
    public int span(final int round) {
        return rounds.get(round).span;
    }

    /** Returns the index of a virtual rank in its group of a round, from 0. */
    public int digit(final int vrank, final int round) {
        return vrank / span(round) % radix(round);
    }

    /** Returns the virtual rank that differs from {@code vrank} in one digit. */
    public int withDigit(final int vrank, final int round, final int digit) {
        return vrank + (digit - digit(vrank, round)) * span(round);
    }

    /** Returns whether an active rank is the highest of its group in a round. */
    public boolean isHighest(final int rank, final int round) {
        return digit(vrankOf(rank), round) == radix(round) - 1;
    }

    /** Returns the active ranks that meet in the round of an active rank, itself included, in ascending order. */
    public int[] group(final int rank, final int round) {
        final int[] ranks = new int[radix(round)];
        for (int d = 0; d < ranks.length; d++) {
            ranks[d] = rankAt(withDigit(vrankOf(rank), round, d));
        }
        return ranks;
    }

    /** Returns the ranks that an active rank sends to in a round: the others of its group in cyclic order, the next higher one first. */
    public int[] receivers(final int rank, final int round) {
        return others(rank, round, 1);
    }

    /** Returns the ranks that an active rank receives from in a round: the others of its group in cyclic order, the next lower one first. */
    public int[] senders(final int rank, final int round) {
        return others(rank, round, radix(round) - 1);
    }

    private int[] others(final int rank, final int round, final int step) {
        final int[] others = new int[radix(round) - 1];
        int digit = digit(vrankOf(rank), round);
        for (int i = 0; i < others.length; i++) {
            digit = CyclicRanks.up(digit, step, radix(round));
            others[i] = rankAt(withDigit(vrankOf(rank), round, digit));
        }
        return others;
    }

    /** Returns whether {@code rank} shares its virtual rank with another rank. */
    public boolean isPaired(final int rank) {
        return rank < 2 * pairCount();
    }

    /** Returns the two ranks that share the virtual rank of a paired rank, in ascending order. */
    public int[] pair(final int rank) {
        return new int[] {rank & ~1, rank | 1};
    }

    /** Returns the rank that a paired rank shares its virtual rank with. */
    public int pairPartner(final int rank) {
        return rank ^ 1;
    }

    /** Returns whether {@code rank} is inactive: it sends its contribution to the other rank of its pair. */
    public boolean isInactive(final int rank) {
        return isPaired(rank) && rank != rankAt(vrankOf(rank));
    }

    /** Returns the virtual rank of {@code rank} or of its pair. */
    public int vrankOf(final int rank) {
        return isPaired(rank) ? rank >> 1 : rank - pairCount();
    }

    /** Returns the active rank of a virtual rank. */
    public int rankAt(final int vrank) {
        return vrank >= pairCount() ? vrank + pairCount() : active >= 0 && active >> 1 == vrank ? active : 2 * vrank + 1;
    }

    /** Returns the first rank that a virtual rank stands for; for the virtual rank after the last one, the number of ranks. */
    public int firstRank(final int vrank) {
        return vrank + Math.min(vrank, pairCount());
    }

    /**
     * Returns whether the brackets are those of {@link tutti.coll.ReductionOrder#CANONICAL} when pairs are combined first, and then in each round,
     * from near to far, the group with {@link CanonicalBrackets}. With radix 2 they are if the number of ranks in binary is ones, then zeros.
     */
    public boolean isCanonical() {
        final int[] members = new int[vrankCount];
        for (int vrank = 0; vrank < vrankCount; vrank++) {
            members[vrank] = firstRank(vrank + 1) - firstRank(vrank);
        }
        for (int round = 0; round < rounds(); round++) {
            for (int first = 0; first < vrankCount; first += span(round) * radix(round)) {
                if (canonicalMembers(members, first, span(round), radix(round)) < 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns the number of ranks in {@code runs} neighbouring ranges, noted at the first; -1 if the brackets are not canonical. */
    private static int canonicalMembers(final int[] members, final int first, final int span, final int runs) {
        if (runs == 1) {
            return members[first];
        }
        final int left = CanonicalBrackets.lower(runs);
        final int low = canonicalMembers(members, first, span, left);
        final int high = canonicalMembers(members, first + left * span, span, runs - left);
        if (low < 0 || high < 0 || low != CanonicalBrackets.lower(low + high)) {
            return -1;
        }
        members[first] = low + high;
        return low + high;
    }
}
