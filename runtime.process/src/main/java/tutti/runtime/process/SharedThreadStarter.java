package tutti.runtime.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts the thread of the JDK that all ranks share for delayed actions, before the first rank runs. It joins the thread group of the thread that
 * first needs it, and would otherwise count as a thread of a rank, which is interrupted and reported at the rank's end. Not before a rank starts: a
 * worker of the common pool has the system class loader of the time at which it is made, which a {@link SystemLoader} replaces.
 *
 * <p><b>Threads.</b> Safe for any thread: the first call starts the thread and does not wait for it.
 */
final class SharedThreadStarter {
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private SharedThreadStarter() {}

    /** Starts the thread. Further calls have no effect. */
    static void start() {
        if (!STARTED.getAndSet(true)) {
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS).execute(() -> {});
        }
    }
}
