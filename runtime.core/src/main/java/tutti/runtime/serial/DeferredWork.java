package tutti.runtime.serial;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Per-thread list of serial executors that have work to drain. It keeps work that submits work to other executors from nesting.
 *
 * <p><b>Threads.</b> An instance belongs to its thread, so nothing is synchronised.
 */
final class DeferredWork {
    private static final ThreadLocal<DeferredWork> CURRENT = ThreadLocal.withInitial(DeferredWork::new);

    boolean active;
    /** A stack: those below {@code count}; the entries above are null. */
    private @Nullable SerialExecutor[] executors = new SerialExecutor[8];
    private int count;

    private DeferredWork() {}

    static DeferredWork current() {
        return CURRENT.get();
    }

    void defer(final SerialExecutor executor) {
        if (count == executors.length) {
            executors = Arrays.copyOf(executors, 2 * count);
        }
        executors[count++] = executor;
    }

    void drainAll() {
        while (count > 0) {
            final SerialExecutor executor = executors[--count];
            executors[count] = null;
            if (executor != null) {
                executor.drain();
            }
        }
    }
}
