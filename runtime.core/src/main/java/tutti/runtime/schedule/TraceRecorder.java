package tutti.runtime.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/**
 * What the collectives of one rank did, and what is under way: the first events, and how many there were after them. Safe for any thread.
 */
public final class TraceRecorder {
    private static final int TRIES = 5;

    private final int limit;
    /** Nanoseconds of the epoch when {@link System#nanoTime} is 0. */
    private final long epoch = epoch();
    private final Map<TracedCall, Integer> calls = new IdentityHashMap<>();
    private final List<TracedCall> order = new ArrayList<>();
    private final List<TraceEvent> events = new ArrayList<>();
    private final Set<TracedExecution> underWay = new LinkedHashSet<>();
    private long dropped;

    /** Keeps so many events. */
    public TraceRecorder(final int limit) {
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

    /** A run has begun. */
    synchronized void opened(final TracedExecution run) {
        underWay.add(run);
    }

    /** A run is over. */
    synchronized void closed(final TracedExecution run, final TraceEvent call) {
        underWay.remove(run);
        add(run.schedule().label, call);
    }

    /** An event of that call, whatever index it says. */
    synchronized void add(final TracedCall call, final TraceEvent event) {
        if (events.size() == limit) {
            dropped++;
        } else {
            events.add(of(call, event));
        }
    }

    private TraceEvent of(final TracedCall call, final TraceEvent e) {
        final int index = calls.computeIfAbsent(call, c -> {
            order.add(c);
            return order.size() - 1;
        });
        return new TraceEvent(index, e.kind(), e.task(), e.peer(), e.bytes(), e.context(), e.tag(), e.begin(), e.end(), e.ended());
    }

    /** What there is so far; what is under way goes before the last of what has ended, for it is what a job that hangs is asked about. */
    public synchronized RankTrace trace(final int rank, final String node) {
        final List<TraceEvent> open = new ArrayList<>();
        for (final TracedExecution run : underWay) {
            final List<TraceEvent> ofRun = new ArrayList<>();
            run.addOpen(ofRun, now());
            ofRun.forEach(e -> open.add(of(run.schedule().label, e)));
        }
        final int opened = Math.min(limit, open.size());
        final int ended = Math.min(limit - opened, events.size());
        final List<TraceEvent> all = new ArrayList<>(events.subList(0, ended));
        all.addAll(open.subList(0, opened));
        return new RankTrace(rank, node, order, all, dropped + events.size() + open.size() - all.size());
    }
}
