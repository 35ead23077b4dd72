package tutti.runtime.introspect;

/**
 * Statistics of the schedule caches of communicators.
 *
 * @param hits         calls that found their schedule
 * @param plans        schedules that were planned
 * @param evictions    schedules that were dropped to keep within the bounds
 * @param entries      schedules that are cached
 * @param scratchBytes scratch memory of idle executions
 */
public record CacheStatistics(long hits, long plans, long evictions, long entries, long scratchBytes) {
    /** Statistics that are all 0. */
    public static final CacheStatistics NONE = new CacheStatistics(0, 0, 0, 0, 0);

    /** Returns the sums of both statistics. */
    public CacheStatistics plus(final CacheStatistics other) {
        return new CacheStatistics(hits + other.hits, plans + other.plans, evictions + other.evictions, entries + other.entries,
            scratchBytes + other.scratchBytes);
    }

    /** Returns the counters without the entries and scratch memory, for caches that were released. */
    public CacheStatistics countersOnly() {
        return new CacheStatistics(hits, plans, evictions, 0, 0);
    }
}
