package tutti.runtime.introspect;

/**
 * What the schedule caches of communicators did and hold.
 *
 * @param hits         calls that found their schedule
 * @param plans        schedules that were planned
 * @param evictions    schedules that were dropped to keep within the bounds
 * @param entries      schedules that are held
 * @param scratchBytes memory that is held for runs that are not under way
 */
public record CacheStatistics(long hits, long plans, long evictions, long entries, long scratchBytes) {
    /** Those of nothing. */
    public static final CacheStatistics NONE = new CacheStatistics(0, 0, 0, 0, 0);

    /** Those of both. */
    public CacheStatistics plus(final CacheStatistics other) {
        return new CacheStatistics(hits + other.hits, plans + other.plans, evictions + other.evictions, entries + other.entries,
            scratchBytes + other.scratchBytes);
    }

    /** What stays of them when the caches are let go of. */
    public CacheStatistics past() {
        return new CacheStatistics(hits, plans, evictions, 0, 0);
    }
}
