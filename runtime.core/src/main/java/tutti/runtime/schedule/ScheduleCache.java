package tutti.runtime.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.introspect.CacheStatistics;

/**
 * The runs of one communicator that are ready to be started again, by operation and call. Safe for any thread.
 *
 * <p>A run is taken out while it is under way and put back afterwards, so two calls of one signature at once have a run each. The least
 * recently used signatures go when there are too many, or when their scratch memory is too much. Who gives a run back never waits for a
 * plan that is being made.
 */
public final class ScheduleCache {
    private static final int SIGNATURES = 256;
    private static final long SCRATCH = 64L << 20;

    private final Planner planner;
    private final PendingOperations usage;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Key wanted = new Key();
    /** Held while something is planned: algorithms are never asked twice at once. */
    private final Object planning = new Object();
    private long scratch;
    private long hits;
    private long plans;
    private long evictions;

    /** Makes what the cache does not have. */
    public interface Planner {
        /** Plans a call. */
        <C extends Call> Schedule plan(Operation<C> operation, C call);

        /** Makes a run of a schedule. */
        ScheduleExecution make(Schedule schedule);
    }

    /** A signature; one that is not in the map is changed and used again to look others up. */
    private static final class Key {
        private Operation<?> operation;
        private Call call;

        Key of(final Operation<?> some, final Call that) {
            operation = some;
            call = that;
            return this;
        }

        @Override
        public boolean equals(final Object other) {
            return other instanceof Key k && operation == k.operation && (call == k.call || call.equals(k.call));
        }

        @Override
        public int hashCode() {
            return 31 * operation.ordinal() + call.hashCode();
        }
    }

    /** The runs of one signature that are free. */
    static final class Entry {
        private final Schedule schedule;
        private final Deque<ScheduleExecution> runs = new ArrayDeque<>(2);
        private boolean dropped;

        Entry(final Schedule schedule) {
            this.schedule = schedule;
        }
    }

    /** An empty cache; runs that are out count as usage. */
    public ScheduleCache(final Planner planner, final PendingOperations usage) {
        this.planner = planner;
        this.usage = usage;
    }

    /** A run for the call that is ready to be started. */
    public <C extends Call> ScheduleExecution take(final Operation<C> operation, final C call) {
        final Entry entry;
        synchronized (this) {
            entry = find(operation, call);
            final ScheduleExecution run = entry == null ? null : entry.runs.poll();
            if (run != null) {
                scratch -= entry.schedule.scratchBytes();
                usage.hold();
                return run;
            }
        }
        final Entry of = entry == null ? planned(operation, call) : entry;
        final ScheduleExecution run = planner.make(of.schedule);
        run.entry = of;
        usage.hold();
        return run;
    }

    /** The schedule that runs of the call have. */
    public <C extends Call> Schedule schedule(final Operation<C> operation, final C call) {
        return planned(operation, call).schedule;
    }

    /** What there is for the call, or null. */
    private Entry find(final Operation<?> operation, final Call call) {
        final Entry entry = entries.get(wanted.of(operation, call));
        if (entry != null) {
            hits++;
        }
        return entry;
    }

    private <C extends Call> Entry planned(final Operation<C> operation, final C call) {
        synchronized (planning) {
            synchronized (this) {
                // another thread may have planned it meanwhile
                final Entry entry = find(operation, call);
                if (entry != null) {
                    return entry;
                }
            }
            final Entry entry = new Entry(planner.plan(operation, call));
            synchronized (this) {
                plans++;
                entries.put(new Key().of(operation, call), entry);
                trim();
            }
            return entry;
        }
    }

    /** Takes a run back that is complete. One that failed is dropped. */
    public void give(final ScheduleExecution run) {
        run.release();
        synchronized (this) {
            if (run.isReusable() && !run.entry.dropped) {
                run.entry.runs.push(run);
                scratch += run.schedule().scratchBytes();
                trim();
            }
        }
        usage.letGo();
    }

    private void trim() {
        final Iterator<Entry> oldest = entries.values().iterator();
        while ((entries.size() > SIGNATURES || scratch > SCRATCH) && oldest.hasNext()) {
            final Entry entry = oldest.next();
            entry.dropped = true;
            evictions++;
            scratch -= entry.runs.size() * entry.schedule.scratchBytes();
            oldest.remove();
        }
    }

    /** What it did and holds. */
    public synchronized CacheStatistics figures() {
        return new CacheStatistics(hits, plans, evictions, entries.size(), scratch);
    }
}
