package tutti.daemon.monitor;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of what happened to the modules of a node's jobs while they ran.
 *
 * @param changes     changes that all their nodes have accepted
 * @param trials      communicators on which a trial has ended, by verdict in lower case
 * @param compared    calls that trials have compared
 * @param differences comparisons in which the results differed
 */
public record LiveCounts(long changes, Map<String, Long> trials, long compared, long differences) {
    /** Nothing happened. */
    public static final LiveCounts NONE = new LiveCounts(0, Map.of(), 0, 0);

    /** Copies the map. */
    public LiveCounts {
        trials = new TreeMap<>(trials);
    }
}
