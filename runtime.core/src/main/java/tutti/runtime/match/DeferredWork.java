package tutti.runtime.match;

import java.util.Arrays;

/** What a thread still has to visit, so that work which brings work elsewhere does not nest. One per thread. */
final class DeferredWork {
    private static final ThreadLocal<DeferredWork> CURRENT = ThreadLocal.withInitial(DeferredWork::new);

    boolean active;
    private SerialExecutor[] todo = new SerialExecutor[8];
    private int count;

    private DeferredWork() { }

    static DeferredWork current() {
        return CURRENT.get();
    }

    void later(final SerialExecutor serial) {
        if (count == todo.length) {
            todo = Arrays.copyOf(todo, 2 * count);
        }
        todo[count++] = serial;
    }

    void visitAll() {
        while (count > 0) {
            final SerialExecutor serial = todo[--count];
            todo[count] = null;
            serial.drain();
        }
    }
}
