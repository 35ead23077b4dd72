package tutti.runtime.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * The runs of one communicator that are ready to be started again, by operation and call. Safe for any thread.
 *
 * <p>A run is taken out while it is under way and put back afterwards, so two calls of one signature at once have a run each. The least
 * recently used signatures go when there are too many, or when their scratch memory is too much.
 */
public final class ScheduleCache {
    private static final int SIGNATURES = 256;
    private static final long SCRATCH = 64L << 20;

    private final Planner planner;
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long scratch;
    private long planned;
    private int out;
    private Runnable idle;

    /** Makes what the cache does not have. */
    public interface Planner {
        /** Plans a call. */
        <C extends Call> Schedule plan(Operation<C> operation, C call);

        /** Makes a run of a schedule. */
        Run make(Schedule schedule);
    }

    private record Key(Operation<?> operation, Call call) { }

    /** The runs of one signature that are free. */
    static final class Entry {
        private final Schedule schedule;
        private final Deque<Run> runs = new ArrayDeque<>(2);
        private boolean dropped;

        Entry(final Schedule schedule) {
            this.schedule = schedule;
        }
    }

    /** An empty cache. */
    public ScheduleCache(final Planner planner) {
        this.planner = planner;
    }

    /** A run for the call that is ready to be started. */
    public synchronized <C extends Call> Run take(final Operation<C> operation, final C call) {
        final Key key = new Key(operation, call);
        Entry entry = entries.get(key);
        if (entry == null) {
            entry = new Entry(planner.plan(operation, call));
            planned++;
            entries.put(key, entry);
            trim();
        }
        out++;
        final Run free = entry.runs.poll();
        if (free != null) {
            scratch -= entry.schedule.scratchBytes();
            return free;
        }
        final Run run = planner.make(entry.schedule);
        run.entry = entry;
        return run;
    }

    /** Takes a run back that is complete. One that failed is dropped. */
    public void give(final Run run) {
        run.release();
        synchronized (this) {
            if (run.isReusable() && !run.entry.dropped) {
                run.entry.runs.push(run);
                scratch += run.schedule().scratchBytes();
                trim();
            }
        }
        letGo();
    }

    /** Counts as a run that was taken, until it is let go of. */
    public synchronized void hold() {
        out++;
    }

    /** The way back from {@link #hold}. */
    public void letGo() {
        final Runnable then;
        synchronized (this) {
            out--;
            then = out == 0 ? idle : null;
        }
        if (then != null) {
            then.run();
        }
    }

    /** From now on no run is taken; calls back when all are back, at once or on the thread that brings the last. */
    public void close(final Runnable whenIdle) {
        synchronized (this) {
            idle = whenIdle;
            if (out > 0) {
                return;
            }
        }
        whenIdle.run();
    }

    private void trim() {
        final Iterator<Entry> oldest = entries.values().iterator();
        while ((entries.size() > SIGNATURES || scratch > SCRATCH) && oldest.hasNext()) {
            final Entry entry = oldest.next();
            entry.dropped = true;
            scratch -= entry.runs.size() * entry.schedule.scratchBytes();
            oldest.remove();
        }
    }

    /** How many schedules were planned since the start. */
    public synchronized long planned() {
        return planned;
    }
}
