package tutti.runtime.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.model.MpiFailure;

/**
 * Caches the idle executions of one communicator, keyed by operation and call. Safe for any thread.
 *
 * <p>An execution is taken out while it is in progress and returned afterwards, so two simultaneous calls of one signature have an execution
 * each. The least recently used signatures are evicted when there are too many, or when their scratch memory is too large. A thread that returns
 * an execution never waits for planning.
 *
 * <p><b>Threads.</b> The lock of this object guards the entries and is held only for a lookup or an insertion. The lock {@code planning} is held
 * while an algorithm plans, and is taken before the other. An execution belongs to the thread that took it until that thread returns it.
 */
public final class ScheduleCache {
    private static final int MAX_SIGNATURES = 256;
    private static final long MAX_SCRATCH = 64L << 20;

    private final Planner planner;
    private final PendingOperations pending;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Key lookupKey = new Key(Operation.BARRIER, new Call.Barrier());
    /** Lock held while something is planned, so that algorithms are never called concurrently. */
    private final Object planning = new Object();
    /** Number of calls whose executions were taken, or that need none. */
    private long calls;
    /** Number of executions that were taken and not returned, and of calls that may take one. */
    private int taken;
    /** Number of calls after which no more come. */
    private long lastCalls = Long.MAX_VALUE;
    private @Nullable Runnable whenUnused;
    private long scratch;
    private long hits;
    private long plans;
    private long evictions;

    /** Plans and creates what is not in the cache. */
    public interface Planner {
        /** Plans a call. If that fails, the schedule has the failure. */
        <C extends Call> Schedule plan(Operation<C> operation, C call);

        /** Creates an execution of a schedule. */
        ScheduleExecution newExecution(Schedule schedule);
    }

    /** An operation with a call. The key that is used for lookups is mutable and reused. */
    private static final class Key {
        private Operation<?> operation;
        private Call call;

        Key(final Operation<?> operation, final Call call) {
            this.operation = operation;
            this.call = call;
        }

        Key of(final Operation<?> newOperation, final Call newCall) {
            operation = newOperation;
            call = newCall;
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

    /** A schedule and its idle executions. */
    static final class Entry {
        private final Schedule schedule;
        private final Deque<ScheduleExecution> executions = new ArrayDeque<>(2);
        private boolean dropped;

        Entry(final Schedule schedule) {
            this.schedule = schedule;
        }
    }

    /** Creates an empty cache; executions that were taken count as pending operations. */
    public ScheduleCache(final Planner planner, final PendingOperations pending) {
        this.planner = planner;
        this.pending = pending;
    }

    /** Returns an execution for the call that is ready to be started. It fails when it is started if the call cannot be planned. */
    public <C extends Call> ScheduleExecution take(final Operation<C> operation, final C call) {
        return take(operation, call, 1);
    }

    /** Returns an execution as {@link #take} does, for further starts of a call that another cache has counted. */
    public <C extends Call> ScheduleExecution takeAgain(final Operation<C> operation, final C call) {
        return take(operation, call, 0);
    }

    private <C extends Call> ScheduleExecution take(final Operation<C> operation, final C call, final int counted) {
        final Entry entry;
        synchronized (this) {
            calls += counted;
            taken++;
            entry = find(operation, call);
            if (entry != null) {
                final ScheduleExecution execution = entry.executions.poll();
                if (execution != null) {
                    scratch -= entry.schedule.scratchBytes();
                    pending.hold();
                    return execution;
                }
            }
        }
        final Entry found = entry == null ? planned(operation, call) : entry;
        final ScheduleExecution execution = planner.newExecution(found.schedule);
        execution.entry = found;
        pending.hold();
        return execution;
    }

    /**
     * Returns the schedule of the call; it is planned if it is not cached.
     *
     * @throws MpiFailure if the call cannot be planned
     */
    public <C extends Call> Schedule schedule(final Operation<C> operation, final C call) {
        final Schedule schedule = planned(operation, call).schedule;
        final MpiFailure failure = schedule.failure();
        if (failure != null) {
            throw failure;
        }
        return schedule;
    }

    /** Returns the entry of the call, or null. */
    private @Nullable Entry find(final Operation<?> operation, final Call call) {
        final Entry entry = entries.get(lookupKey.of(operation, call));
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
            if (entry.schedule.failure() != null) {
                // perhaps the next call can be planned
                entry.dropped = true;
                return entry;
            }
            synchronized (this) {
                plans++;
                entries.put(new Key(operation, call), entry);
                trim();
            }
            return entry;
        }
    }

    /** Counts a call that needs no execution. */
    public void skip() {
        final Runnable unused;
        synchronized (this) {
            calls++;
            unused = unused();
        }
        if (unused != null) {
            unused.run();
        }
    }

    /**
     * Calls back when the cache is not used any more: at once, or on the thread that returns the last execution.
     *
     * @param total number of all calls that take, or have taken, their executions here
     */
    public void close(final long total, final Runnable then) {
        final Runnable unused;
        synchronized (this) {
            lastCalls = total;
            whenUnused = then;
            unused = unused();
        }
        if (unused != null) {
            unused.run();
        }
    }

    /** Keeps the cache in use for a call that may take an execution later, until {@link #unhold}. */
    public synchronized void hold() {
        taken++;
    }

    /** Ends a use by {@link #hold}. */
    public void unhold() {
        final Runnable unused;
        synchronized (this) {
            taken--;
            unused = unused();
        }
        if (unused != null) {
            unused.run();
        }
    }

    private @Nullable Runnable unused() {
        final Runnable then = whenUnused;
        if (then == null || taken != 0 || calls < lastCalls) {
            return null;
        }
        whenUnused = null;
        return then;
    }

    /** Returns a completed execution to the cache. One that failed is dropped. */
    public void release(final ScheduleExecution execution) {
        execution.release();
        final Runnable unused;
        synchronized (this) {
            final Entry entry = execution.entry;
            if (entry != null && !entry.dropped && execution.isReusable()) {
                entry.executions.push(execution);
                scratch += execution.schedule().scratchBytes();
                trim();
            }
            taken--;
            unused = unused();
        }
        pending.release();
        if (unused != null) {
            unused.run();
        }
    }

    private void trim() {
        final Iterator<Entry> oldest = entries.values().iterator();
        while ((entries.size() > MAX_SIGNATURES || scratch > MAX_SCRATCH) && oldest.hasNext()) {
            final Entry entry = oldest.next();
            entry.dropped = true;
            evictions++;
            scratch -= entry.executions.size() * entry.schedule.scratchBytes();
            oldest.remove();
        }
    }

    /** Returns the statistics of the cache. */
    public synchronized CacheStatistics statistics() {
        return new CacheStatistics(hits, plans, evictions, entries.size(), scratch);
    }
}
