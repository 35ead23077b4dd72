package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;

/**
 * A tree in which runs of neighbouring ranks come together at their last rank: on level 1 runs of {@code radix} ranks, on level 2 those of
 * {@code radix} runs of level 1, and so on to the last rank of all.
 *
 * <p>Since the radix is a power of two, runs are whole branches of the tree that defines {@link tutti.coll.ReductionOrder#CANONICAL}; and since they
 * come
 * together at the last rank, its own value is the highest operand, into which the others are folded without a copy.
 *
 * <pre>
 *   11 ranks, radix 4     level 1:  0 1 2 → 3    4 5 6 → 7    8 9 → 10
 *                         level 2:  3 7 → 10
 * </pre>
 *
 * @param size  ranks
 * @param radix how many values come together at a time; a power of two, 2 or more
 */
record FanInTree(int size, int radix) {

    /** How many levels there are: 0 for one rank. */
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

    /** The last rank: where all come together. */
    int top() {
        return size - 1;
    }

    /** On how many levels runs come together at {@code rank}. */
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

    /** Where the value of {@code rank} is read; -1 for the top. */
    int parent(final int rank) {
        return rank == top() ? -1 : head(rank, level(rank) + 1);
    }

    private int head(final int rank, final int level) {
        final long run = run(level);
        return (int) Math.min((rank / run + 1) * run, size) - 1;
    }

    /** The ranks whose values come together on a level in the run of {@code rank}, in their order, the head last. */
    List<Integer> values(final int rank, final int level) {
        final long run = run(level);
        final long step = run / radix;
        final List<Integer> values = new ArrayList<>();
        for (long start = rank / run * run; start < Math.min((rank / run + 1) * run, size); start += step) {
            values.add((int) Math.min(start + step, size) - 1);
        }
        return values;
    }

    /** The ranks that {@code rank} waits for, on all its levels from the lowest. */
    List<Integer> children(final int rank) {
        final List<Integer> children = new ArrayList<>();
        for (int level = 1; level <= level(rank); level++) {
            final List<Integer> values = values(rank, level);
            children.addAll(values.subList(0, values.size() - 1));
        }
        return children;
    }
}
