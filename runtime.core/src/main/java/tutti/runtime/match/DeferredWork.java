package tutti.runtime.match;

import java.util.Arrays;

/** Per-thread list of serial executors that have work to drain. It keeps work that submits work to other executors from nesting. */
final class DeferredWork {
    private static final ThreadLocal<DeferredWork> CURRENT = ThreadLocal.withInitial(DeferredWork::new);

    boolean active;
    private SerialExecutor[] todo = new SerialExecutor[8];
    private int count;

    private DeferredWork() { }

    static DeferredWork current() {
        return CURRENT.get();
    }

    void later(final SerialExecutor executor) {
        if (count == todo.length) {
            todo = Arrays.copyOf(todo, 2 * count);
        }
        todo[count++] = executor;
    }

    void visitAll() {
        while (count > 0) {
            final SerialExecutor executor = todo[--count];
            todo[count] = null;
            executor.drain();
        }
    }
}
