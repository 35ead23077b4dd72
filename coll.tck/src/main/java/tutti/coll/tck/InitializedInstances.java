package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollInstance;

/**
 * The instances of modules that a proof has initialized: disposes each of them once. An instance whose initialization ends after the close, since its
 * thread was abandoned, is disposed by that thread. Safe for any thread.
 */
final class InitializedInstances implements AutoCloseable {
    private final Deque<CollInstance> instances = new ArrayDeque<>();
    private boolean closed;

    /**
     * Initializes an instance and returns its table.
     *
     * @throws Exception if the initialization fails, or the instances are closed
     */
    AlgorithmTable init(final CollInstance instance) throws Exception {
        final AlgorithmTable table = instance.init();
        if (table == null) {
            throw new IllegalStateException("table() or init() returned null");
        }
        if (!add(instance)) {
            instance.dispose();
            throw new IllegalStateException("initialized too late");
        }
        return table;
    }

    private synchronized boolean add(final CollInstance instance) {
        if (!closed) {
            instances.push(instance);
        }
        return !closed;
    }

    private synchronized List<CollInstance> drain() {
        closed = true;
        final List<CollInstance> all = new ArrayList<>(instances);
        instances.clear();
        return all;
    }

    /**
     * Disposes the instances, the last first. Idempotent.
     *
     * @throws IllegalStateException if the disposal of one failed; the others are disposed
     */
    @Override
    public void close() {
        @Nullable
        Throwable first = null;
        for (final CollInstance instance : drain()) {
            try {
                instance.dispose();
            } catch (final RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw new IllegalStateException("dispose failed: " + first, first);
        }
    }
}
