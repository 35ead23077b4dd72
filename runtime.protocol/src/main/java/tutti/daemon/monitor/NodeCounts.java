package tutti.daemon.monitor;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a node has counted since it started.
 *
 * @param members           nodes of its cluster now, itself included
 * @param joined            nodes that have come since it started
 * @param left              nodes that have left in order
 * @param lost              nodes that were lost
 * @param started           jobs that it has launched
 * @param ended             jobs of those that have ended, by exit status; statuses that a program has chosen are {@code other}
 * @param checkpoints       checkpoints of these jobs that are complete
 * @param checkpointsFailed checkpoints of these jobs that failed
 * @param checkpointBytes   bytes of the complete ones
 */
public record NodeCounts(int members, long joined, long left, long lost, long started, Map<String, Long> ended, long checkpoints,
    long checkpointsFailed, long checkpointBytes) {
    /** Copies the map. */
    public NodeCounts {
        ended = new TreeMap<>(ended);
    }
}
