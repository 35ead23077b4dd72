package tutti.cli;

import java.time.Duration;
import java.util.function.Supplier;

/** Prints on standard error, every few seconds until it is closed, what a command still waits for. Safe for any thread. */
final class WaitMessages implements AutoCloseable {
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private final Thread thread;

    /**
     * Starts to print.
     *
     * @param what returns what the command waits for, in one line
     */
    WaitMessages(final Supplier<String> what) {
        thread = Thread.ofVirtual().name("tutti-wait").start(() -> {
            final long since = System.nanoTime();
            try {
                Thread.sleep(FIRST);
                while (true) {
                    System.err.println("tutti: " + what.get() + ": " + Duration.ofNanos(System.nanoTime() - since).toSeconds() + " s");
                    Thread.sleep(PERIOD);
                }
            } catch (final InterruptedException e) {
                // what it waited for is there
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
