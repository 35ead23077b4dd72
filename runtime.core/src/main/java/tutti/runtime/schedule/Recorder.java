package tutti.runtime.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tutti.runtime.reading.PlannedTask;
import tutti.runtime.reading.RankTrace;
import tutti.runtime.reading.TraceEvent;
import tutti.runtime.reading.TracedCall;

/** What the collectives of one rank did: the first events, and how many there were after them. Safe for any thread. */
public final class Recorder {
    private static final int TRIES = 5;

    private final int limit;
    /** Nanoseconds of the epoch when {@link System#nanoTime} is 0. */
    private final long epoch = epoch();
    private final Map<TracedCall, Integer> calls = new IdentityHashMap<>();
    private final List<TracedCall> order = new ArrayList<>();
    private final List<TraceEvent> events = new ArrayList<>();
    private long dropped;

    /** Keeps so many events. */
    public Recorder(final int limit) {
        this.limit = limit;
    }

    /** Looks at both clocks a few times and believes the time when that took least. */
    private static long epoch() {
        long best = Long.MAX_VALUE;
        long epoch = 0;
        for (int i = 0; i < TRIES; i++) {
            final long before = System.nanoTime();
            final Instant now = Instant.now();
            final long took = System.nanoTime() - before;
            if (took < best) {
                best = took;
                epoch = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - before - took / 2;
            }
        }
        return epoch;
    }

    /** The time that events go by. */
    long now() {
        return epoch + System.nanoTime();
    }

    synchronized void add(final TracedCall call, final PlannedTask.Kind kind, final int task, final int peer, final long bytes,
                          final int context, final long tag, final long begin, final long end) {
        if (events.size() == limit) {
            dropped++;
            return;
        }
        final int index = calls.computeIfAbsent(call, c -> {
            order.add(c);
            return order.size() - 1;
        });
        events.add(new TraceEvent(index, kind, task, peer, bytes, context, tag, begin, end));
    }

    /** What there is so far. */
    public synchronized RankTrace trace(final int rank, final String node) {
        return new RankTrace(rank, node, order, events, dropped);
    }
}
