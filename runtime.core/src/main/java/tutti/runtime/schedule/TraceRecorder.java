package tutti.runtime.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.intercept.NestedCollective;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;

/**
 * Records the collectives of one rank: the first events, the number of those after them, and the executions in progress. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards all lists. An execution takes it to add an event, a thread that asks for the trace to copy them.
 */
public final class TraceRecorder {
    private static final int TRIES = 5;

    private final int limit;
    /** Nanoseconds since the epoch when {@link System#nanoTime} is 0. */
    private final long epoch = epoch();
    private final Map<TracedCall, Integer> calls = new IdentityHashMap<>();
    private final List<TracedCall> order = new ArrayList<>();
    private final List<TraceEvent> events = new ArrayList<>();
    private final Set<TracedExecution> inProgress = new LinkedHashSet<>();
    private long dropped;

    private volatile @Nullable Consumer<NestedCollective> nested;

    /** Creates a recorder that keeps {@code limit} events; 0 for one that only tells of nested collectives. */
    public TraceRecorder(final int limit) {
        this.limit = limit;
    }

    /** Reads both clocks a few times and uses the pair that was read fastest. */
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

    /** Returns the time for events, in nanoseconds since the epoch. */
    long now() {
        return epoch + System.nanoTime();
    }

    /** Returns whether the recorder keeps no events. */
    public boolean isEmpty() {
        return limit == 0;
    }

    /** Tells a listener of nested collectives from now on. */
    public void onNested(final Consumer<NestedCollective> listener) {
        nested = listener;
    }

    /** Adds the event of a call, of which the times are those of {@link System#nanoTime}. */
    public synchronized void addCall(final TracedCall call, final TraceEvent e) {
        add(call, new TraceEvent(0, e.kind(), e.task(), e.peer(), e.bytes(), e.context(), e.tag(), e.module(), epoch + e.begin(),
            epoch + e.end(), e.ended()));
    }

    /** Adds an execution that has begun. */
    void opened(final TracedExecution execution) {
        final Consumer<NestedCollective> listener = nested;
        if (listener != null) {
            execution.nested().forEach(listener);
        }
        synchronized (this) {
            inProgress.add(execution);
        }
    }

    /** Removes an execution that is over and adds the event of its call. */
    synchronized void closed(final TracedExecution execution, final TraceEvent call) {
        inProgress.remove(execution);
        add(execution.call(), call);
    }

    /** Adds an event of that call; its index is set here. */
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
        return new TraceEvent(index, e.kind(), e.task(), e.peer(), e.bytes(), e.context(), e.tag(), e.module(), e.begin(), e.end(), e.ended());
    }

    /** Returns the trace so far. Executions in progress displace the last completed events, since they show why a job hangs. */
    public synchronized RankTrace trace(final int rank, final String node) {
        final List<TraceEvent> open = new ArrayList<>();
        for (final TracedExecution execution : inProgress) {
            final List<TraceEvent> ofExecution = new ArrayList<>();
            execution.addOpen(ofExecution, now());
            ofExecution.forEach(e -> open.add(of(execution.call(), e)));
        }
        final int opened = Math.min(limit, open.size());
        final int ended = Math.min(limit - opened, events.size());
        final List<TraceEvent> all = new ArrayList<>(events.subList(0, ended));
        all.addAll(open.subList(0, opened));
        return new RankTrace(rank, node, order, all, dropped + events.size() + open.size() - all.size());
    }
}
