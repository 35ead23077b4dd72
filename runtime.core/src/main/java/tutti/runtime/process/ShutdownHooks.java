package tutti.runtime.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** A rank's shutdown hooks, with the rules of {@link Runtime#addShutdownHook}. Safe for any thread. */
final class ShutdownHooks {
    private final Set<Thread> hooks = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean closed;

    synchronized void add(final Thread hook) {
        checkOpen();
        if (hook.isAlive()) {
            throw new IllegalArgumentException("hook runs already: thread=" + hook.getName());
        }
        if (!hooks.add(hook)) {
            throw new IllegalArgumentException("hook was added before: thread=" + hook.getName());
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

    /** From now on hooks are neither added nor removed; gives those that there are, once. */
    synchronized List<Thread> close() {
        closed = true;
        final List<Thread> found = new ArrayList<>(hooks);
        hooks.clear();
        return found;
    }
}
