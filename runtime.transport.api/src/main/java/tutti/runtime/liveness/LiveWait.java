package tutti.runtime.liveness;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A wait for something that lives: it has no limit, says at intervals what it waits for, and ends when that lives no more. For one thread, which
 * calls {@link #goesOn} at each turn of its loop.
 *
 * <pre>{@code
 * LiveWait wait = new LiveWait("node b is ending", process::isAlive, System.err::println);
 * while (!ended.await(LiveWait.PERIOD) && wait.goesOn()) {}
 * }</pre>
 */
public final class LiveWait {
    /** How often a wait says what it waits for, and asks whether that lives. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    private final String what;
    private final BooleanSupplier isAlive;
    private final Consumer<String> says;
    private final long begin = System.nanoTime();
    private long next = begin + PERIOD.toNanos();

    /**
     * Begins to wait.
     *
     * @param what    what it waits for, in one line
     * @param isAlive tells whether that still lives
     * @param says    receives a line at each interval
     */
    public LiveWait(final String what, final BooleanSupplier isAlive, final Consumer<String> says) {
        this.what = what;
        this.isAlive = isAlive;
        this.says = says;
    }

    /** Returns whether to wait on. Asks and says something once an interval. */
    public boolean goesOn() {
        final long now = System.nanoTime();
        if (now - next < 0) {
            return true;
        }
        next = now + PERIOD.toNanos();
        if (!isAlive.getAsBoolean()) {
            return false;
        }
        says.accept(what + ": " + TimeUnit.NANOSECONDS.toSeconds(now - begin) + " s");
        return true;
    }

    /** Waits until a stage is complete, or what it waits for lives no more; returns whether the stage is complete. */
    public boolean await(final CompletionStage<?> stage) throws InterruptedException {
        final CountDownLatch done = new CountDownLatch(1);
        final var _ = stage.whenComplete((value, e) -> done.countDown());
        while (!done.await(PERIOD.toNanos(), TimeUnit.NANOSECONDS)) {
            if (!goesOn()) {
                return false;
            }
        }
        return true;
    }
}
