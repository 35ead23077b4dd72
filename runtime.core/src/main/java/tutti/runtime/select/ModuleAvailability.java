package tutti.runtime.select;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

/**
 * What ranks tell each other of modules: per module a standing (its priority, or {@link #out} with the rank that has something against it),
 * the set of operations it offers, the balance of its messages, and a hash in two forms whose minima agree only when all hashes do.
 */
final class ModuleAvailability {
    static final Op COMBINE = Op.user("ballots", true, ModuleAvailability::combine);
    private static final int FIELDS = 5;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    final long[] values;

    ModuleAvailability(final int modules) {
        values = new long[modules * FIELDS];
        for (int i = 0; i < modules; i++) {
            set(i, 0, 0, 0, 0);
        }
    }

    void set(final int i, final long standing, final long operations, final long balance, final long hash) {
        final long h = hash & Long.MAX_VALUE;
        values[i * FIELDS] = standing;
        values[i * FIELDS + 1] = operations;
        values[i * FIELDS + 2] = balance;
        values[i * FIELDS + 3] = h;
        values[i * FIELDS + 4] = -h;
    }

    /** The standing of a module that a rank is against. */
    static long out(final int rank) {
        return -1L - rank;
    }

    /** The lowest rank that is against the module, or -1. */
    int against(final int i) {
        final long standing = standing(i);
        return standing < 0 ? (int) (-1 - standing) : -1;
    }

    long standing(final int i) {
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
