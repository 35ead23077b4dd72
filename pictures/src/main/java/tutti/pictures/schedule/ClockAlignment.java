package tutti.pictures.schedule;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tutti.runtime.introspect.RankTrace;

/**
 * Alignment of the nodes' clocks: the nanoseconds to add to the times of each node.
 *
 * <p>Each node has its own clock, which is correct if NTP or similar synchronizes it. Errors show in messages that seem to arrive before they are
 * sent. The nodes are processed in their order, and each is shifted against the previous ones by the smallest amount that removes such errors.
 */
final class ClockAlignment {
    private final Map<String, Long> shifts = new LinkedHashMap<>();

    ClockAlignment(final List<RankTrace> traces, final List<MessagePairs.Pair> messages) {
        for (final RankTrace t : traces) {
            shifts.putIfAbsent(t.node(), 0L);
        }
        if (shifts.size() > 1) {
            align(messages);
        }
    }

    private void align(final List<MessagePairs.Pair> messages) {
        // by sending and receiving node: the minimum apparent latency of a message
        final Map<List<String>, Long> minLatency = new HashMap<>();
        messages.stream().filter(m -> !m.sender().node().equals(m.receiver().node())).forEach(m -> minLatency
            .merge(List.of(m.sender().node(), m.receiver().node()), m.receive().end() - m.send().begin(), Math::min));
        final List<String> nodes = List.copyOf(shifts.keySet());
        for (int i = 1; i < nodes.size(); i++) {
            shifts.put(nodes.get(i), shift(nodes.get(i), nodes.subList(0, i), minLatency));
        }
    }

    private long shift(final String node, final List<String> aligned, final Map<List<String>, Long> minLatency) {
        long min = Long.MIN_VALUE;
        long max = Long.MAX_VALUE;
        for (final String other : aligned) {
            final Long received = minLatency.get(List.of(other, node));
            if (received != null) {
                min = Math.max(min, shift(other) - received);
            }
            final Long sent = minLatency.get(List.of(node, other));
            if (sent != null) {
                max = Math.min(max, shift(other) + sent);
            }
        }
        if (min > max) {
            // the clocks drift and no shift fits: use the middle
            return max + (min - max) / 2;
        }
        return Math.max(min, Math.min(0, max));
    }

    /** Returns the nanoseconds to add to the times of a node. */
    long shift(final String node) {
        return Objects.requireNonNull(shifts.get(node), "shift of a node");
    }

    /** Returns the shifts of all nodes, by node name. */
    Map<String, Long> shifts() {
        return shifts;
    }
}
