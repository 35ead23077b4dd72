package tutti.runtime.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The shutdown hooks of a rank, with the rules of {@link Runtime#addShutdownHook}. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards both fields; no hook runs under it.
 */
final class ShutdownHooks {
    private final Set<Thread> hooks = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean closed;

    synchronized void add(final Thread hook) {
        checkOpen();
        if (hook.isAlive()) {
            throw new IllegalArgumentException("hook is already running: thread=" + hook.getName());
        }
        if (!hooks.add(hook)) {
            throw new IllegalArgumentException("hook is already registered: thread=" + hook.getName());
        }
    }

    synchronized boolean remove(final Thread hook) {
        checkOpen();
        return hooks.remove(hook);
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("shutdown in progress");
        }
    }

    /** Returns the hooks and removes them. From now on hooks can be neither added nor removed. */
    synchronized List<Thread> close() {
        closed = true;
        final List<Thread> found = new ArrayList<>(hooks);
        hooks.clear();
        return found;
    }
}
