package tutti.daemon.protocol;

import tutti.runtime.introspect.CacheStatistics;

/**
 * What a node has to do now, and did since it started.
 *
 * @param version   of Tutti
 * @param heapUsed  bytes of the heap that are taken, garbage included
 * @param heapMax   bytes that the heap may have
 * @param schedules of the caches of schedules of all ranks there; those of jobs that have ended count, but hold nothing any more
 */
public record NodeLoad(String version, long heapUsed, long heapMax, CacheStatistics schedules) {

    /** That of this process. */
    public static NodeLoad now(final String version, final CacheStatistics schedules) {
        final Runtime runtime = Runtime.getRuntime();
        return new NodeLoad(version, runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), schedules);
    }
}
