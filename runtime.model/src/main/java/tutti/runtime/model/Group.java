package tutti.runtime.model;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** An ordered set of ranks of a job, each named by its rank in COMM_WORLD. Immutable; safe for any thread. */
public final class Group {
    /** The group without ranks. */
    public static final Group EMPTY = new Group(new int[0]);
    /** Stands for a rank that is not in the group. */
    public static final int UNDEFINED = -32766;

    /** The results of comparing groups. */
    public enum Comparison {
        /** Same ranks in the same order. */
        IDENT,
        /** Same ranks in another order. */
        SIMILAR,
        /** Other ranks. */
        UNEQUAL
    }

    private final int[] members;
    /** Maps a rank in COMM_WORLD to its rank in the group, or -1; created when it is needed. */
    private volatile int @Nullable [] ranksInGroup;

    private Group(final int[] members) {
        this.members = members;
    }

    /** Returns the group of distinct ranks of COMM_WORLD. */
    public static Group of(final int... worldRanks) {
        return worldRanks.length == 0 ? EMPTY : new Group(worldRanks.clone());
    }

    /** Returns the group of the first {@code count} ranks of COMM_WORLD. */
    public static Group first(final int count) {
        final int[] all = new int[count];
        Arrays.setAll(all, i -> i);
        return new Group(all);
    }

    /** Returns the number of ranks in the group. */
    public int size() {
        return members.length;
    }

    /** Returns the rank in COMM_WORLD of a rank of the group. */
    public int worldRank(final int rank) {
        return members[rank];
    }

    /** Returns the ranks in COMM_WORLD, in order. */
    public int[] worldRanks() {
        return members.clone();
    }

    /** Returns the rank in the group of a rank of COMM_WORLD, or {@link #UNDEFINED} when it is not in the group. */
    public int rankOf(final int worldRank) {
        final int[] p = ranksInGroup();
        return worldRank >= 0 && worldRank < p.length && p[worldRank] >= 0 ? p[worldRank] : UNDEFINED;
    }

    /** Returns whether a rank of COMM_WORLD is in the group. */
    public boolean contains(final int worldRank) {
        return rankOf(worldRank) != UNDEFINED;
    }

    private int[] ranksInGroup() {
        int @Nullable [] p = ranksInGroup;
        if (p == null) {
            p = new int[Arrays.stream(members).max().orElse(-1) + 1];
            Arrays.fill(p, -1);
            for (int i = 0; i < members.length; i++) {
                p[members[i]] = i;
            }
            ranksInGroup = p;
        }
        return p;
    }

    /** Returns all ranks of this group in its order, then those of the other that are not in this one, in the order of the other. */
    public Group union(final Group other) {
        final Group rest = other.difference(this);
        final int[] all = Arrays.copyOf(members, members.length + rest.members.length);
        System.arraycopy(rest.members, 0, all, members.length, rest.members.length);
        return made(all);
    }

    /** Returns the ranks of this group that are also in the other, in the order of this group. */
    public Group intersection(final Group other) {
        return filter(other::contains);
    }

    /** Returns the ranks of this group that are not in the other, in the order of this group. */
    public Group difference(final Group other) {
        return filter(worldRank -> !other.contains(worldRank));
    }

    private Group filter(final IntPredicate wanted) {
        return made(Arrays.stream(members).filter(wanted).toArray());
    }

    private static Group made(final int[] members) {
        return members.length == 0 ? EMPTY : new Group(members);
    }

    /** Returns the given ranks of this group, in the order given. */
    public Group incl(final int[] ranks) {
        check(ranks);
        return made(Arrays.stream(ranks).map(r -> members[r]).toArray());
    }

    /** Returns this group without the given ranks, in the order of this group. */
    public Group excl(final int[] ranks) {
        final boolean[] out = check(ranks);
        final int[] kept = new int[members.length - ranks.length];
        int n = 0;
        for (int r = 0; r < members.length; r++) {
            if (!out[r]) {
                kept[n++] = members[r];
            }
        }
        return made(kept);
    }

    /** Selects ranks like {@link #incl}: {@code first, first + stride, …} up to {@code last} of each triplet. */
    public Group rangeIncl(final int[][] ranges) {
        return incl(ranks(ranges));
    }

    /** Removes ranks like {@link #excl}, with triplets as in {@link #rangeIncl}. */
    public Group rangeExcl(final int[][] ranges) {
        return excl(ranks(ranges));
    }

    /** Refuses ranks that are not in the group or occur twice; returns which ranks of the group occur. */
    private boolean[] check(final int[] ranks) {
        if (ranks == null) {
            // Cause: a group is made of no array. Remedy: give it, empty for no ranks.
            throw new MpiFailure(ErrorClass.ARG, "ranks are null");
        }
        final boolean[] named = new boolean[members.length];
        for (int i = 0; i < ranks.length; i++) {
            checkRank(ranks[i], i);
            if (named[ranks[i]]) {
                // Cause: a rank is in a group once. Remedy: leave out one.
                throw new MpiFailure(ErrorClass.RANK, "duplicate rank: rank=" + ranks[i] + ", index=" + i);
            }
            named[ranks[i]] = true;
        }
        return named;
    }

    private void checkRank(final int rank, final int index) {
        if (rank < 0 || rank >= members.length) {
            throw new MpiFailure(ErrorClass.RANK, "rank out of range: rank=" + rank + ", size=" + members.length + ", index=" + index);
        }
    }

    private int[] ranks(final int[][] ranges) {
        if (ranges == null) {
            // Cause: a group is made of no array. Remedy: give it, empty for no ranks.
            throw new MpiFailure(ErrorClass.ARG, "ranges are null");
        }
        int[] ranks = new int[members.length];
        int n = 0;
        for (int i = 0; i < ranges.length; i++) {
            final int[] range = ranges[i];
            if (range == null || range.length != 3) {
                // Cause: a range of ranks is first, last, stride. Remedy: three numbers.
                throw new MpiFailure(ErrorClass.ARG, "range is not a triplet: index=" + i + ", length=" + (range == null ? null : range.length));
            }
            if (range[2] == 0) {
                // Cause: the range would never end. Remedy: another stride.
                throw new MpiFailure(ErrorClass.ARG, "stride of range is 0: index=" + i);
            }
            final long steps = Math.floorDiv((long) range[1] - range[0], (long) range[2]);
            for (long s = 0; s <= steps; s++) {
                final long rank = range[0] + s * range[2];
                checkRank((int) rank, i);
                if (n == ranks.length) {
                    // more ranks than the group has: one occurs twice, which is reported later
                    ranks = Arrays.copyOf(ranks, 2 * n + 1);
                }
                ranks[n++] = (int) rank;
            }
        }
        return Arrays.copyOf(ranks, n);
    }

    /** Returns the ranks in the other group of ranks of this one: {@link #UNDEFINED} where there is none; PROC_NULL is kept. */
    public int[] translate(final int[] ranks, final Group other) {
        if (ranks == null) {
            throw new MpiFailure(ErrorClass.ARG, "ranks are null");
        }
        final int[] there = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] == Reserved.PROC_NULL) {
                there[i] = Reserved.PROC_NULL;
            } else {
                checkRank(ranks[i], i);
                there[i] = other.rankOf(members[ranks[i]]);
            }
        }
        return there;
    }

    /** Compares two groups by their ranks and the order of these. */
    public Comparison compare(final Group other) {
        if (Arrays.equals(members, other.members)) {
            return Comparison.IDENT;
        }
        return members.length == other.members.length && intersection(other).size() == members.length ? Comparison.SIMILAR : Comparison.UNEQUAL;
    }

    @Override
    public boolean equals(final Object o) {
        return o instanceof Group g && Arrays.equals(members, g.members);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(members);
    }

    @Override
    public String toString() {
        return "ranks " + Arrays.toString(members);
    }
}
