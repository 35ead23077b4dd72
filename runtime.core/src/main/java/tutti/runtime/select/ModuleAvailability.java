package tutti.runtime.select;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/**
 * The availability of modules, as ranks exchange and combine it. Each module has five values:
 * <ol>
 * <li>its status: the priority, or {@link #exclusion} with the rank that excludes it; combined to the minimum, or to the lowest such rank;
 * <li>the set of operations that it offers; combined by AND;
 * <li>the balance of its messages; combined by a sum;
 * <li>a hash of what it offers, and the negated hash; combined by minima, which match only when all hashes are equal.
 * </ol>
 */
final class ModuleAvailability {
    static final Op COMBINE = Op.user("module availability", true, ModuleAvailability::combine);
    private static final int FIELDS = 5;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    final long[] values;

    ModuleAvailability(final int modules) {
        values = new long[modules * FIELDS];
        for (int i = 0; i < modules; i++) {
            set(i, 0, 0, 0, 0);
        }
    }

    void set(final int i, final long status, final long operations, final long balance, final long hash) {
        final long h = hash & Long.MAX_VALUE;
        values[i * FIELDS] = status;
        values[i * FIELDS + 1] = operations;
        values[i * FIELDS + 2] = balance;
        values[i * FIELDS + 3] = h;
        values[i * FIELDS + 4] = -h;
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
        return values[i * FIELDS];
    }

    long operations(final int i) {
        return values[i * FIELDS + 1];
    }

    long balance(final int i) {
        return values[i * FIELDS + 2];
    }

    boolean isUnanimous(final int i) {
        return values[i * FIELDS + 3] == -values[i * FIELDS + 4];
    }

    private static void combine(final MemorySegment in, final MemorySegment inout, final long count, final Datatype type) {
        for (long i = 0; i < count; i++) {
            final long a = in.getAtIndex(LONG, i);
            final long b = inout.getAtIndex(LONG, i);
            inout.setAtIndex(LONG, i, switch ((int) (i % FIELDS)) {
                case 0 -> a < 0 && b < 0 ? Math.max(a, b) : Math.min(a, b);
                case 1 -> a & b;
                case 2 -> a + b;
                default -> Math.min(a, b);
            });
        }
    }
}
