package tutti.runtime.process;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import tutti.runtime.process.stop.ThreadStopper;

/**
 * Starts the threads that all ranks share before the first rank runs.
 *
 * <p>The helper threads of the JDK belong to the thread group of the thread that first needs them, and a rank's threads are ended with the
 * rank. {@link JvmGuard} and {@link ThreadStopper} are initialised here as well, because that takes long when runaway threads use the whole machine.
 * This is done one second later, so that a short job does not wait for it.
 *
 * <p><b>Threads.</b> Safe for any thread: the first call starts the threads and does not wait for them.
 */
final class SharedThreadStarter {
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private SharedThreadStarter() {}

    /** Starts the threads. Further calls have no effect. */
    static void start() {
        if (!STARTED.getAndSet(true)) {
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> {
                JvmGuard.await();
                ThreadStopper.isAvailable();
            });
        }
    }
}
