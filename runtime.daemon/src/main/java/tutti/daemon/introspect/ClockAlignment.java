package tutti.daemon.introspect;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;

/**
 * What is to be added to the times of each node so that they fit together.
 *
 * <p>Nodes go by their own clocks, which are right where something like NTP keeps them so. Where they are not, messages tell: none arrives
 * before it is sent. The nodes are taken in their order, and each is moved against those before it by no more than that needs.
 */
final class ClockAlignment {
    private final Map<String, Long> shifts = new LinkedHashMap<>();

    /** A message is known by this on both sides. */
    private record Key(int context, int from, int to, long tag, int use) { }

    private record Sent(String node, long time) { }

    ClockAlignment(final List<RankTrace> traces) {
        for (final RankTrace t : traces) {
            shifts.putIfAbsent(t.node(), 0L);
        }
        if (shifts.size() > 1) {
            align(traces);
        }
    }

    private void align(final List<RankTrace> traces) {
        final Map<Key, Sent> sent = new HashMap<>();
        for (final RankTrace t : traces) {
            final Uses uses = new Uses();
            for (final TraceEvent e : t.events()) {
                if (e.kind() == PlannedTask.Kind.SEND) {
                            sent.put(new Key(e.context(), t.rank(), e.peer(), e.tag(), uses.next(e)), new Sent(t.node(), e.begin()));
                }
            }
        }
        // by sending and receiving node: the least time that a message seems to have taken
        final Map<List<String>, Long> least = new HashMap<>();
        for (final RankTrace t : traces) {
            final Uses uses = new Uses();
            for (final TraceEvent e : t.events()) {
                if (e.kind() == PlannedTask.Kind.RECV && e.ended()) {
                            final Sent from = sent.get(new Key(e.context(), e.peer(), t.rank(), e.tag(), uses.next(e)));
                            if (from != null && !from.node().equals(t.node())) {
                        least.merge(List.of(from.node(), t.node()), e.end() - from.time(), Math::min);
                            }
                }
            }
        }
        final List<String> nodes = List.copyOf(shifts.keySet());
        for (int i = 1; i < nodes.size(); i++) {
            shifts.put(nodes.get(i), shift(nodes.get(i), nodes.subList(0, i), least));
        }
    }

    private long shift(final String node, final List<String> settled, final Map<List<String>, Long> least) {
        long atLeast = Long.MIN_VALUE;
        long atMost = Long.MAX_VALUE;
        for (final String other : settled) {
            final Long here = least.get(List.of(other, node));
            if (here != null) {
                atLeast = Math.max(atLeast, shifts.get(other) - here);
            }
            final Long there = least.get(List.of(node, other));
            if (there != null) {
                atMost = Math.min(atMost, shifts.get(other) + there);
            }
        }
        if (atLeast > atMost) {
            // clocks that drift: nothing fits, so the middle
            return atMost + (atLeast - atMost) / 2;
        }
        return Math.max(atLeast, Math.min(0, atMost));
    }

    /** Nanoseconds to be added to times of a node. */
    long shift(final String node) {
        return shifts.get(node);
    }

    /** By node. */
    Map<String, Long> shifts() {
        return shifts;
    }

    /** Counts events that look alike: a persistent call has the same messages each time. */
    static final class Uses {
        private final Map<List<Number>, Integer> counts = new HashMap<>();

        int next(final TraceEvent e) {
            return counts.merge(List.of(e.context(), e.peer(), e.tag()), 1, Integer::sum) - 1;
        }
    }
}
