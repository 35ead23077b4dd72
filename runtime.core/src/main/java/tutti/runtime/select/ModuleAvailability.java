package tutti.runtime.select;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/**
 * The availability of modules, as ranks exchange and combine it. It begins with the step that the rank is about to take, and the negated step;
 * their minima match only when all ranks are about to take the same one. Each module has five values:
 * <ol>
 * <li>its status: the priority, or {@link #exclusion} with the rank that excludes it; combined to the minimum, or to the lowest such rank;
 * <li>the set of operations that it offers; combined by AND;
 * <li>the balance of its messages; combined by a sum;
 * <li>a hash of what it offers, or of the reason why this rank excludes it, and the negated hash; combined by minima, which match only when all
 *     hashes are equal.
 * </ol>
 */
final class ModuleAvailability {
    static final Op COMBINE = Op.user("module availability", true, ModuleAvailability::combine);
    private static final int HEAD = 2;
    private static final int FIELDS = 5;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    final long[] values;

    /**
     * Creates the availability of modules of which nothing is known.
     *
     * @param modules maximum number of modules; equal on all ranks at all steps
     */
    ModuleAvailability(final int modules, final long step) {
        values = new long[HEAD + modules * FIELDS];
        values[0] = step;
        values[1] = -step;
    }

    /** Returns whether all ranks take the step, after the values were combined. */
    boolean isStep(final long step) {
        return values[0] == step && values[1] == -step;
    }

    void set(final int i, final long status, final long operations, final long balance, final long hash) {
        final long h = hash & Long.MAX_VALUE;
        values[at(i)] = status;
        values[at(i) + 1] = operations;
        values[at(i) + 2] = balance;
        values[at(i) + 3] = h;
        values[at(i) + 4] = -h;
    }

    private static int at(final int i) {
        return HEAD + i * FIELDS;
    }

    /** Returns the status of a module that a rank excludes. */
    static long exclusion(final int rank) {
        return -1L - rank;
    }

    /** Returns the lowest rank that excludes the module, or -1. */
    int excludedBy(final int i) {
        final long status = status(i);
        return status < 0 ? (int) (-1 - status) : -1;
    }

    long status(final int i) {
        return values[at(i)];
    }

    long operations(final int i) {
        return values[at(i) + 1];
    }

    long balance(final int i) {
        return values[at(i) + 2];
    }

    boolean isUnanimous(final int i) {
        return values[at(i) + 3] == -values[at(i) + 4];
    }

    private static void combine(final MemorySegment in, final MemorySegment inout, final long count, final Datatype type) {
        for (long i = 0; i < count; i++) {
            final long a = in.getAtIndex(LONG, i);
            final long b = inout.getAtIndex(LONG, i);
            inout.setAtIndex(LONG, i, switch (i < HEAD ? HEAD - 1 + FIELDS : (int) ((i - HEAD) % FIELDS)) {
                case 0 -> a < 0 && b < 0 ? Math.max(a, b) : Math.min(a, b);
                case 1 -> a & b;
                case 2 -> a + b;
                default -> Math.min(a, b);
            });
        }
    }
}
