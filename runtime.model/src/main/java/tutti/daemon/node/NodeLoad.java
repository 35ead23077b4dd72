package tutti.daemon.node;

import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;

/**
 * Load of a node: heap use, statistics of caches, and messages.
 *
 * @param version   version of Tutti
 * @param heapUsed  used bytes of the heap, garbage included
 * @param heapMax   maximum size of the heap in bytes
 * @param schedules statistics of the schedule caches of all ranks since the node started; those of ended jobs count, with no entries
 * @param proofs    numbers of calls that were proved when they were first planned
 * @param messages  numbers of messages of its ranks since the node started
 */
public record NodeLoad(String version, long heapUsed, long heapMax, CacheStatistics schedules,
    ProofCounts proofs, MessageStatistics messages) {

    /** Returns the load of this process. */
    public static NodeLoad now(final String version, final CacheStatistics schedules, final ProofCounts proofs,
        final MessageStatistics messages) {
        final Runtime runtime = Runtime.getRuntime();
        return new NodeLoad(version, runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), schedules, proofs, messages);
    }
}
