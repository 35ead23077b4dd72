package tutti.runtime.process.snapshot;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The end of a wait.
 *
 * @param nanos by {@link System#nanoTime}
 */
record Deadline(long nanos) {
    static Deadline in(final Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    boolean hasPassed() {
        return nanos - System.nanoTime() <= 0;
    }

    long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime());
    }
}
