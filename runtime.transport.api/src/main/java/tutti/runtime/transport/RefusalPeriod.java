package tutti.runtime.transport;

import java.time.Duration;

/**
 * Counter of refusals that says which of them are logged: the first ones of a period, so that a flood of connections does not flood the log.
 *
 * <p><b>Threads.</b> Safe for any thread; the lock of this object guards all fields.
 */
public final class RefusalPeriod {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    /** Refusals of a period that are logged where their reasons differ. */
    private static final int SEVERAL = 20;

    private final int lines;
    private final long nanos;
    private long end;
    private int logged;
    private long unlogged;

    /** Creates a counter whose first {@code lines} refusals of a period are logged. */
    RefusalPeriod(final int lines, final Duration period) {
        this.lines = lines;
        this.nanos = period.toNanos();
        this.end = System.nanoTime() - 1;
    }

    /** Returns a counter of refusals that have one reason, a limit: one of 10 s is logged. */
    public static RefusalPeriod ofOneReason() {
        return new RefusalPeriod(1, PERIOD);
    }

    /** Returns a counter of refusals whose reasons differ: 20 of 10 s are logged. */
    public static RefusalPeriod ofManyReasons() {
        return new RefusalPeriod(SEVERAL, PERIOD);
    }

    /** Counts a refusal. Returns how many are to be logged as one line: this one and those before it that were not; 0 for none now. */
    public synchronized long count() {
        final long now = System.nanoTime();
        if (now - end >= 0) {
            end = now + nanos;
            logged = 0;
        }
        unlogged++;
        if (logged == lines) {
            return 0;
        }
        logged++;
        final long all = unlogged;
        unlogged = 0;
        return all;
    }
}
