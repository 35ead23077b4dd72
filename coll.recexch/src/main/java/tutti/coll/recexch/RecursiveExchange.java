package tutti.coll.recexch;

/**
 * Index maths of a recursive exchange with any radix over any number of ranks.
 *
 * <p>With q = k^m the largest power of the radix k that is at most p, and f = ⌊p/q⌋, there are m rounds of radix k and, where f > 1, a last one of
 * radix f: f·q ranks take part. The e = p - f·q < q others are spread over the first 2e ranks, which make neighbouring pairs: one of a pair hands
 * its part to the other and rests. Those that go on have the places 0 to f·q-1 in the order of ranks, so that aligned blocks of k^i places stand for
 * runs of ranks. In round i a place meets those that differ from it in digit i alone, which lie k^i apart.
 *
 * <p>Immutable; every method is a pure function.
 */
final class RecursiveExchange {
    /** As the awake rank: any will do. */
    static final int ANYBODY = -1;

    private final int size;
    private final int radix;
    private final int awake;
    private final int powers;
    private final int rounds;
    private final int core;

    private RecursiveExchange(final int size, final int radix, final int awake) {
        this.size = size;
        this.radix = radix;
        this.awake = awake;
        int full = 1;
        int exponent = 0;
        while (full <= size / radix) {
            full *= radix;
            exponent++;
        }
        this.powers = exponent;
        this.core = size / full * full;
        this.rounds = core > full ? exponent + 1 : exponent;
    }

    /**
     * The exchange of {@code size} ranks.
     *
     * @param radix at least 2
     * @param awake a rank that must not rest, or {@link #ANYBODY}; the higher one of each other pair does not
     */
    static RecursiveExchange of(final int size, final int radix, final int awake) {
        return new RecursiveExchange(size, radix, awake);
    }

    int size() {
        return size;
    }

    /** How many places there are. */
    int core() {
        return core;
    }

    /** How many pairs of ranks share a place. */
    int extra() {
        return size - core;
    }

    int rounds() {
        return rounds;
    }

    /** How many places meet in a round. */
    int radix(final int round) {
        return round < powers ? radix : core / span(powers);
    }

    /** How far the places that meet in a round are apart. */
    int span(final int round) {
        int span = 1;
        for (int i = 0; i < round; i++) {
            span *= i < powers ? radix : core / span;
        }
        return span;
    }

    /** Which of those that meet in a round a place is, from 0. */
    int digit(final int place, final int round) {
        return place / span(round) % radix(round);
    }

    /** The place that differs from {@code place} in one digit. */
    int withDigit(final int place, final int round, final int digit) {
        return place + (digit - digit(place, round)) * span(round);
    }

    /** Whether {@code rank} shares its place with another. */
    boolean isPaired(final int rank) {
        return rank < 2 * extra();
    }

    /** With whom a paired rank shares its place. */
    int other(final int rank) {
        return rank ^ 1;
    }

    /** Whether {@code rank} hands its part to the other of its pair. */
    boolean rests(final int rank) {
        return isPaired(rank) && rank != rankAt(placeOf(rank));
    }

    /** The place of {@code rank}, or that of its pair. */
    int placeOf(final int rank) {
        return isPaired(rank) ? rank >> 1 : rank - extra();
    }

    /** The rank that takes part for a place. */
    int rankAt(final int place) {
        return place >= extra() ? place + extra() : awake >= 0 && awake >> 1 == place ? awake : 2 * place + 1;
    }

    /** The first of the ranks that a place stands for; of the place after the last one, the number of ranks. */
    int firstRank(final int place) {
        return place + Math.min(place, extra());
    }

    /** The ranks of places. */
    int[] ranksAt(final int... places) {
        final int[] ranks = new int[places.length];
        for (int i = 0; i < places.length; i++) {
            ranks[i] = rankAt(places[i]);
        }
        return ranks;
    }

    /** Those that {@code place} meets in a round, itself included, from the lowest to the highest. */
    int[] met(final int place, final int round) {
        final int[] places = new int[radix(round)];
        for (int d = 0; d < places.length; d++) {
            places[d] = withDigit(place, round, d);
        }
        return places;
    }

    /**
     * Whether combining pairs first, and then in each round what meets as {@link CanonicalMerge} does, has the brackets of
     * {@link tutti.coll.ReductionOrder#CANONICAL}: with radix 2, if the number of ranks in binary is ones, then zeros.
     */
    boolean isCanonical() {
        final int[] members = new int[core];
        for (int place = 0; place < core; place++) {
            members[place] = firstRank(place + 1) - firstRank(place);
        }
        for (int round = 0; round < rounds; round++) {
            for (int first = 0; first < core; first += span(round) * radix(round)) {
                if (canonicalMembers(members, first, span(round), radix(round)) < 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** How many ranks some runs have together, noted at the first of them; -1 when they are not combined as they should. */
    private static int canonicalMembers(final int[] members, final int first, final int span, final int runs) {
        if (runs == 1) {
            return members[first];
        }
        final int left = CanonicalMerge.left(runs);
        final int low = canonicalMembers(members, first, span, left);
        final int high = canonicalMembers(members, first + left * span, span, runs - left);
        if (low < 0 || high < 0 || low != CanonicalMerge.left(low + high)) {
            return -1;
        }
        members[first] = low + high;
        return low + high;
    }
}
