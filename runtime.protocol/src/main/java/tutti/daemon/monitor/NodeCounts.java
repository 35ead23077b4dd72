package tutti.daemon.monitor;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of a node since it started.
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
 * @param live              what happened to the modules of these jobs while they ran
 */
public record NodeCounts(int members, long joined, long left, long lost, long started, Map<String, Long> ended, long checkpoints,
    long checkpointsFailed, long checkpointBytes, LiveCounts live) {
    /** Exit statuses that Tutti defines, and the one of jobs that have any other: so their number is bounded. */
    public static final List<String> STATUSES = List.of("0", "1", "2", "3", "4", "5", "7", "8", "124", "other");

    /** Copies the map. */
    public NodeCounts {
        ended = new TreeMap<>(ended);
    }

    /** Returns by which of the statuses a job is counted. */
    public static String status(final int exit) {
        final String text = Integer.toString(exit);
        return STATUSES.contains(text) ? text : STATUSES.getLast();
    }
}
