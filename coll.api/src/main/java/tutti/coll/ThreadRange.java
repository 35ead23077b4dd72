package tutti.coll;

/**
 * The thread levels that a module supports.
 *
 * @param min lowest
 * @param max highest, not below {@code min}
 */
public record ThreadRange(ThreadLevel min, ThreadLevel max) {
    /** All levels. */
    public static final ThreadRange ALL = new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.MULTIPLE);

    /** Refuses an empty range. */
    public ThreadRange {
        if (min.compareTo(max) > 0) {
            throw new IllegalArgumentException("thread range is empty: min=" + min + ", max=" + max);
        }
    }

    /** Whether a job of that level may use the module. */
    public boolean contains(final ThreadLevel level) {
        return min.compareTo(level) <= 0 && level.compareTo(max) <= 0;
    }
}
