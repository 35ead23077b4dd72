package tutti.runtime.fault;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Immutable set of ranks: a bitmap, which ends with the word of the highest rank. */
public final class RankSet {
    private static final RankSet NONE = new RankSet(new long[0]);

    private final long[] words;

    /** The last word is not 0. */
    private RankSet(final long[] words) {
        this.words = words;
    }

    /** Returns the set with a bitmap, which must not be changed any more. */
    static RankSet trimmed(final long[] words) {
        int length = words.length;
        while (length > 0 && words[length - 1] == 0) {
            length--;
        }
        return length == 0 ? NONE : new RankSet(length == words.length ? words : Arrays.copyOf(words, length));
    }

    /** Returns the empty set. */
    public static RankSet none() {
        return NONE;
    }

    /** Returns the set of some ranks, in any order. */
    public static RankSet of(final int... ranks) {
        int highest = -1;
        for (final int rank : ranks) {
            check(rank);
            highest = Math.max(highest, rank);
        }
        final long[] words = new long[(highest >> 6) + 1];
        for (final int rank : ranks) {
            words[rank >> 6] |= 1L << rank;
        }
        return trimmed(words);
    }

    /** Returns the set of all ranks below a number. */
    public static RankSet all(final int size) {
        return range(0, size);
    }

    /** Returns the set of the ranks from a number to below another one. */
    static RankSet range(final int from, final int to) {
        check(from);
        if (to < from) {
            throw new IllegalArgumentException("negative number of ranks: from=" + from + ", to=" + to);
        }
        if (from == to) {
            return NONE;
        }
        final long[] words = new long[(to - 1 >> 6) + 1];
        fill(words, from, to);
        return new RankSet(words);
    }

    /** Adds the ranks from a number to below another, higher one to a bitmap. */
    static void fill(final long[] words, final int from, final int to) {
        final int first = from >> 6;
        final int last = to - 1 >> 6;
        final long low = -1L << from;
        final long high = -1L >>> -to;
        if (first == last) {
            words[first] |= low & high;
        } else {
            words[first] |= low;
            Arrays.fill(words, first + 1, last, -1);
            words[last] |= high;
        }
    }

    private static void check(final int rank) {
        if (rank < 0) {
            throw new IllegalArgumentException("negative rank: " + rank);
        }
    }

    /** Returns whether a rank is in the set. */
    public boolean contains(final int rank) {
        check(rank);
        return rank >> 6 < words.length && (words[rank >> 6] >>> rank & 1) != 0;
    }

    /** Returns this set with a rank added. */
    public RankSet with(final int rank) {
        if (contains(rank)) {
            return this;
        }
        final long[] result = Arrays.copyOf(words, Math.max(words.length, (rank >> 6) + 1));
        result[rank >> 6] |= 1L << rank;
        return new RankSet(result);
    }

    /** Returns the ranks that are in this set or another one. */
    public RankSet union(final RankSet other) {
        if (containsAll(other)) {
            return this;
        }
        final long[] result = Arrays.copyOf(words, Math.max(words.length, other.words.length));
        for (int i = 0; i < other.words.length; i++) {
            result[i] |= other.words[i];
        }
        return new RankSet(result);
    }

    /** Returns the ranks that are in this set and in another one. */
    public RankSet intersection(final RankSet other) {
        final long[] result = Arrays.copyOf(words, Math.min(words.length, other.words.length));
        for (int i = 0; i < result.length; i++) {
            result[i] &= other.words[i];
        }
        return trimmed(result);
    }

    /** Returns the ranks that are in this set, but not in another one. */
    public RankSet minus(final RankSet other) {
        final long[] result = words.clone();
        for (int i = 0; i < Math.min(result.length, other.words.length); i++) {
            result[i] &= ~other.words[i];
        }
        return trimmed(result);
    }

    /** Returns whether all ranks of another set are in this one. */
    public boolean containsAll(final RankSet other) {
        if (other.words.length > words.length) {
            return false;
        }
        for (int i = 0; i < other.words.length; i++) {
            if ((other.words[i] & ~words[i]) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether no rank is in the set. */
    public boolean isEmpty() {
        return words.length == 0;
    }

    /** Returns how many ranks are in the set. */
    public int size() {
        int size = 0;
        for (final long word : words) {
            size += Long.bitCount(word);
        }
        return size;
    }

    /** Returns the smallest number that is not in the set. */
    public int lowestMissing() {
        return end(0);
    }

    /** Returns the smallest rank of the set that is not below a number; -1 if there is none. */
    int next(final int from) {
        for (int i = from >> 6; i < words.length; i++) {
            final long word = i == from >> 6 ? words[i] & -1L << from : words[i];
            if (word != 0) {
                return (i << 6) + Long.numberOfTrailingZeros(word);
            }
        }
        return -1;
    }

    /** Returns the smallest number from a rank on that is not in the set. */
    int end(final int from) {
        for (int i = from >> 6; i < words.length; i++) {
            final long missing = i == from >> 6 ? ~words[i] & -1L << from : ~words[i];
            if (missing != 0) {
                return (i << 6) + Long.numberOfTrailingZeros(missing);
            }
        }
        return Math.max(from, words.length << 6);
    }

    /** Returns the ranks in ascending order. */
    public int[] toArray() {
        final int[] ranks = new int[size()];
        for (int i = 0, rank = next(0); rank >= 0; rank = next(rank + 1)) {
            ranks[i++] = rank;
        }
        return ranks;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof RankSet set && Arrays.equals(words, set.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        return IntStream.of(toArray()).mapToObj(Integer::toString).collect(Collectors.joining(", ", "{", "}"));
    }
}
