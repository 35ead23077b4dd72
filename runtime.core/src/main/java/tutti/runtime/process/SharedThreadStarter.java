package tutti.runtime.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts what all ranks share before the first of them runs.
 *
 * <p>The JDK's own helper threads belong to whoever needs them first, and a rank's threads are ended with the rank. What stops threads is
 * opened as well, since that takes long when runaway threads are using all of the machine; a little later, so that a short job need not
 * wait for it.
 */
final class SharedThreadStarter {
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private SharedThreadStarter() { }

    /** Starts them, once. */
    static void start() {
        if (!STARTED.getAndSet(true)) {
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(ThreadStopper::isAvailable);
        }
    }
}
