package tutti.daemon.node;

import tutti.runtime.introspect.CacheStatistics;

/**
 * Load of a node: heap use and cache statistics.
 *
 * @param version   version of Tutti
 * @param heapUsed  used bytes of the heap, garbage included
 * @param heapMax   maximum size of the heap in bytes
 * @param schedules statistics of the schedule caches of all ranks since the node started; those of ended jobs count, with no entries
 */
public record NodeLoad(String version, long heapUsed, long heapMax, CacheStatistics schedules) {

    /** Returns the load of this process. */
    public static NodeLoad now(final String version, final CacheStatistics schedules) {
        final Runtime runtime = Runtime.getRuntime();
        return new NodeLoad(version, runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), schedules);
    }
}
