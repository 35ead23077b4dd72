package tutti.runtime.introspect;

import java.util.List;

/**
 * What the collectives of a rank did, and when.
 *
 * @param rank    in COMM_WORLD
 * @param node    name of its node
 * @param calls   that events belong to
 * @param events  those that ended in the order in which they did, then those that never ended; so many as the job's user allowed: the latter, and
 *                of the former the first
 * @param dropped how many more there were
 */
public record RankTrace(int rank, String node, List<TracedCall> calls, List<TraceEvent> events, long dropped) {
    /** Copies the lists. */
    public RankTrace {
        calls = List.copyOf(calls);
        events = List.copyOf(events);
    }
}
