package tutti.runtime.introspect;

import java.util.List;

/**
 * The trace of a rank's collectives.
 *
 * @param rank    rank in COMM_WORLD
 * @param node    name of the rank's node
 * @param calls   calls that the events belong to
 * @param events  events that ended, in the order of their ends, then those that did not end; at most as many as the job's user allowed. When
 *                there were more, the former are cut after the first ones
 * @param dropped number of events that were left out
 */
public record RankTrace(int rank, String node, List<TracedCall> calls, List<TraceEvent> events, long dropped) {
    /** Copies the lists. */
    public RankTrace {
        calls = List.copyOf(calls);
        events = List.copyOf(events);
    }
}
