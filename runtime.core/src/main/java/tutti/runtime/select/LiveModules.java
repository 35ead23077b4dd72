package tutti.runtime.select;

import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import tutti.runtime.module.ModuleId;

/**
 * The modules of a job on one node, as they change while it runs: those with which it began, and those of each {@linkplain JobModules#change change}.
 * Earlier ones are forgotten when no communicator uses them. Safe for any thread.
 *
 * <p>A node accepts the modules of a change before any node {@linkplain #follow follows} it. So a rank that hears of a change from another rank
 * finds its modules here.
 *
 * <p><b>Threads.</b> The lock of this object guards the maps. The newest modules are read without it.
 */
public final class LiveModules {
    private final NavigableMap<Integer, JobModules> known = new TreeMap<>();
    private final NavigableMap<Integer, Integer> holds = new TreeMap<>();
    private final Runnable released;
    private volatile JobModules newest;

    /**
     * Creates the modules with which a job begins.
     *
     * @param released called when modules are forgotten, on the thread of their last user; must not block
     */
    public LiveModules(final JobModules first, final Runnable released) {
        this.released = released;
        this.newest = first;
        accept(first);
    }

    /** Accepts the modules of a change, which ranks do not use before {@link #follow}. */
    public synchronized void accept(final JobModules next) {
        next.whenUnused(this::trim);
        known.put(next.change(), next);
    }

    /** Makes the accepted modules of a change the newest, unless later ones are. */
    public void follow(final int change) {
        synchronized (this) {
            final JobModules next = Objects.requireNonNull(known.get(change), () -> "modules of change " + change);
            if (next.change() > newest.change()) {
                newest = next;
            }
        }
        trim();
    }

    /** Forgets the modules of a change that not all nodes have accepted. */
    public void abandon(final int change) {
        synchronized (this) {
            known.remove(change);
        }
        released.run();
    }

    /** Returns the modules of the latest change that this node follows. */
    public JobModules newest() {
        return newest;
    }

    /** Keeps the newest modules, and those of later changes, until the hold is closed. */
    public synchronized Hold hold() {
        final int from = newest.change();
        holds.merge(from, 1, Integer::sum);
        return new Hold(from);
    }

    /** Modules that are kept, while ranks agree on the change whose modules they use. For one thread. */
    public final class Hold implements AutoCloseable {
        private final int from;

        private Hold(final int from) {
            this.from = from;
        }

        /** Returns the number of the latest change that this node followed when the hold began. */
        public int newest() {
            return from;
        }

        /**
         * Returns the modules of a change that some node followed when its hold began, and none a later one.
         *
         * @throws IllegalStateException when this node has not accepted them
         */
        public JobModules of(final int change) {
            synchronized (LiveModules.this) {
                final JobModules modules = known.get(change);
                if (modules == null) {
                    throw new IllegalStateException("modules of a change are not here: change=" + change + ", newest=" + newest.change());
                }
                return modules;
            }
        }

        @Override
        public void close() {
            synchronized (LiveModules.this) {
                holds.computeIfPresent(from, (f, n) -> n == 1 ? null : n - 1);
            }
            trim();
        }
    }

    /** Returns the modules that are still used, or may be. */
    public synchronized List<ModuleId> kept() {
        return known.values().stream().flatMap(m -> m.kept().stream()).distinct().toList();
    }

    private void trim() {
        final boolean isTrimmed;
        synchronized (this) {
            final int until = holds.isEmpty() ? newest.change() : Math.min(holds.firstKey(), newest.change());
            isTrimmed = known.headMap(until).values().removeIf(JobModules::isUnused);
        }
        if (isTrimmed) {
            released.run();
        }
    }
}
