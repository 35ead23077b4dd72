package tutti.coll.patterns;

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
    private final int radix;
    private final int active;
    private final int powers;
    private final int rounds;
    private final int vrankCount;

    private RecursiveExchange(final int size, final int radix, final int active) {
        this.size = size;
        this.radix = radix;
        this.active = active;
        int full = 1;
        int exponent = 0;
        while (full <= size / radix) {
            full *= radix;
            exponent++;
        }
        this.powers = exponent;
        this.vrankCount = size / full * full;
        this.rounds = vrankCount > full ? exponent + 1 : exponent;
    }

    /**
     * Returns the exchange of {@code size} ranks.
     *
     * @param radix at least 2
     * @param active a rank that must be active, or {@link #ANY_RANK}; of every other pair the higher rank is active
     */
    public static RecursiveExchange of(final int size, final int radix, final int active) {
        return new RecursiveExchange(size, radix, active);
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
        return rounds;
    }

    /** Returns how many virtual ranks meet in a round. */
    public int radix(final int round) {
        return round < powers ? radix : vrankCount / span(powers);
    }

    /** Returns the distance between virtual ranks that meet in a round. */
    public int span(final int round) {
        int span = 1;
        for (int i = 0; i < round; i++) {
            span *= i < powers ? radix : vrankCount / span;
        }
        return span;
    }

    /** Returns the index of a virtual rank in its group of a round, from 0. */
    public int digit(final int vrank, final int round) {
        return vrank / span(round) % radix(round);
    }

    /** Returns the virtual rank that differs from {@code vrank} in one digit. */
    public int withDigit(final int vrank, final int round, final int digit) {
        return vrank + (digit - digit(vrank, round)) * span(round);
    }

    /** Returns whether {@code rank} shares its virtual rank with another rank. */
    public boolean isPaired(final int rank) {
        return rank < 2 * pairCount();
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

    /** Returns the active ranks of virtual ranks. */
    public int[] ranksAt(final int... vranks) {
        final int[] ranks = new int[vranks.length];
        for (int i = 0; i < vranks.length; i++) {
            ranks[i] = rankAt(vranks[i]);
        }
        return ranks;
    }

    /** Returns the group of {@code vrank} in a round, itself included, in ascending order. */
    public int[] group(final int vrank, final int round) {
        final int[] vranks = new int[radix(round)];
        for (int d = 0; d < vranks.length; d++) {
            vranks[d] = withDigit(vrank, round, d);
        }
        return vranks;
    }

    /**
     * Returns whether the brackets are those of {@link tutti.coll.ReductionOrder#CANONICAL} when pairs are combined first, and then in each round the
     * group with {@link CanonicalBrackets}. With radix 2 they are if the number of ranks in binary is ones, then zeros.
     */
    public boolean isCanonical() {
        final int[] members = new int[vrankCount];
        for (int vrank = 0; vrank < vrankCount; vrank++) {
            members[vrank] = firstRank(vrank + 1) - firstRank(vrank);
        }
        for (int round = 0; round < rounds; round++) {
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
