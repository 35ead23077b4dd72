package tutti.coll.advanced;

/**
 * The thread levels that a module supports.
 *
 * @param min the lowest level
 * @param max the highest level, not below {@code min}
 */
public record ThreadRange(ThreadLevel min, ThreadLevel max) {
    /** The range of all levels. */
    public static final ThreadRange ALL = new ThreadRange(ThreadLevel.SINGLE, ThreadLevel.MULTIPLE);

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if {@code min} is above {@code max}
     */
    public ThreadRange {
        if (min.compareTo(max) > 0) {
            throw new IllegalArgumentException("thread range is empty: min=" + min + ", max=" + max);
        }
    }

    /** Returns whether a rank with that thread level may use the module. */
    public boolean contains(final ThreadLevel level) {
        return min.compareTo(level) <= 0 && level.compareTo(max) <= 0;
    }
}
