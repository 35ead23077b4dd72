package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;

/**
 * Messages of which a trace has both the send and the complete receive. Messages that are the same but for the time, as those of a persistent call,
 * are paired in the order in which they were posted. Events without a counterpart, which the trace dropped or which did not end, are in no pair.
 * Stateless.
 */
final class MessagePairs {
    private MessagePairs() {}

    /**
     * A message.
     *
     * @param sender   trace of the sender
     * @param send     the send
     * @param receiver trace of the receiver
     * @param receive  the receive
     */
    record Pair(RankTrace sender, TraceEvent send, RankTrace receiver, TraceEvent receive) {
        /**
         * Returns for how long the receiver waited until the message was sent, in nanoseconds.
         *
         * @param shift the nanoseconds that align the receiver's clock, less those that align the sender's
         */
        long waited(final long shift) {
            return Math.max(0, Math.min(receive.end() + shift, send.begin()) - receive.begin() - shift);
        }
    }

    /** Identity of a message, the same on the sender and the receiver. */
    private record Key(int context, int from, int to, long tag, int occurrence) {}

    private record Sent(RankTrace trace, TraceEvent event) {}

    /** Returns the messages, in the order of the receiving ranks and of their receives. */
    static List<Pair> of(final List<RankTrace> traces) {
        final Map<Key, Sent> sent = new HashMap<>();
        for (final RankTrace t : traces) {
            final Map<Key, Integer> counts = new HashMap<>();
            posted(t, PlannedTask.Kind.SEND).forEach(e -> sent.put(key(counts, e, t.rank(), e.peer()), new Sent(t, e)));
        }
        final List<Pair> pairs = new ArrayList<>();
        for (final RankTrace t : traces) {
            final Map<Key, Integer> counts = new HashMap<>();
            for (final TraceEvent e : posted(t, PlannedTask.Kind.RECV)) {
                final Sent from = sent.get(key(counts, e, e.peer(), t.rank()));
                if (from != null && e.ended()) {
                    pairs.add(new Pair(from.trace, from.event, t, e));
                }
            }
        }
        return pairs;
    }

    /** Returns the sends or receives of a rank in the order of their posts. What is in progress after dropped events cannot be counted. */
    private static List<TraceEvent> posted(final RankTrace t, final PlannedTask.Kind kind) {
        return t.events().stream().filter(e -> e.kind() == kind && (e.ended() || t.dropped() == 0))
            .sorted(Comparator.comparingLong(TraceEvent::begin)).toList();
    }

    private static Key key(final Map<Key, Integer> counts, final TraceEvent e, final int from, final int to) {
        return new Key(e.context(), from, to, e.tag(), counts.merge(new Key(e.context(), from, to, e.tag(), 0), 1, Integer::sum));
    }
}
