package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A tree over the ranks of a node in which groups of consecutive ranks report to their last rank. On level 1 a group has {@code radix} ranks. On each
 * further level it has {@code radix} groups of the level below, until one group has all ranks.
 *
 * <p>The radix is a power of two, so a group is a whole branch of the tree that defines {@link tutti.coll.ReductionOrder#CANONICAL}. The value of the
 * last rank of a group is the highest operand, into which a reduce task combines the others without a copy.
 *
 * <pre>
 *   11 ranks, radix 4     level 1:  0 1 2 → 3    4 5 6 → 7    8 9 → 10
 *                         level 2:  3 7 → 10
 * </pre>
 *
 * @param size  number of ranks
 * @param radix number of ranks or groups that form a group of the next level; a power of two, 2 or more
 */
record FanInTree(int size, int radix) {

    /** Returns the number of levels; 0 for one rank. */
    int height() {
        int height = 0;
        for (long run = 1; run < size; run *= radix) {
            height++;
        }
        return height;
    }

    private long run(final int level) {
        long run = 1;
        for (int i = 0; i < level; i++) {
            run *= radix;
        }
        return run;
    }

    /** Returns the top of the tree, which is the last rank. */
    int top() {
        return size - 1;
    }

    /** Returns the highest level on which {@code rank} is the last rank of a group; 0 for a leaf. */
    int level(final int rank) {
        if (rank == top()) {
            return height();
        }
        int level = 0;
        for (long run = radix; (rank + 1) % run == 0; run *= radix) {
            level++;
        }
        return level;
    }

    /** Returns the rank that reads the value of {@code rank}; -1 for the top. */
    int parent(final int rank) {
        return rank == top() ? -1 : headOf(rank, level(rank) + 1);
    }

    /** Returns the ranks that read a short value of {@code rank}: its parent, or for the top, which has the result, all others. */
    int[] readers(final int rank) {
        return rank == top() ? IntStream.range(0, top()).toArray() : new int[] {parent(rank)};
    }

    private int headOf(final int rank, final int level) {
        final long run = run(level);
        return (int) Math.min((rank / run + 1) * run, size) - 1;
    }

    /** Returns the ranks whose values are combined on a level in the group of {@code rank}, in ascending order. The last rank is the group's head. */
    List<Integer> values(final int rank, final int level) {
        final long run = run(level);
        final long step = run / radix;
        final List<Integer> values = new ArrayList<>();
        for (long start = rank / run * run; start < Math.min((rank / run + 1) * run, size); start += step) {
            values.add((int) Math.min(start + step, size) - 1);
        }
        return values;
    }

    /** Returns the largest number of values that are combined in a group. */
    int most() {
        return Math.min(radix, size);
    }

    /** Returns the ranks that {@code rank} waits for, on all its levels from the lowest. */
    List<Integer> children(final int rank) {
        final List<Integer> children = new ArrayList<>();
        for (int level = 1; level <= level(rank); level++) {
            final List<Integer> values = values(rank, level);
            children.addAll(values.subList(0, values.size() - 1));
        }
        return children;
    }
}
