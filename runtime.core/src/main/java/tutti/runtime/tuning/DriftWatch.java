package tutti.runtime.tuning;

/**
 * The watch over the time of an algorithm that was found to be the fastest: says after how many calls some are measured again, and whether they have
 * drifted from the time at the decision. A time has drifted when it is longer by a third and by more than the spread, or when it is shorter by a
 * quarter: a disturbance makes calls slower, and those of cold code are slow and vary. An algorithm that has become faster shows that conditions
 * have changed, under which another one may be faster still. Only two drifts in succession count, so that a disturbance of some calls has no effect.
 *
 * <p>The interval doubles with each measurement without a drift and with each trial, so that a job of any length pays a bounded share.
 *
 * <p>For one thread. It is a function of the times: ranks that give the same ones get the same answers.
 */
public final class DriftWatch {
    /** Number of calls that are measured at a time. */
    public static final int MEASURED = 5;
    private static final double FACTOR = 1.3;
    private static final long SOON = 64;
    private static final long FIRST = 256;
    private static final long LAST = 4096;
    private static final int MAX_DOUBLINGS = 4;
    private static final int DRIFTS = 2;

    private final long median;
    private final long spread;
    private long interval;
    private int drifts;

    /**
     * Creates the watch.
     *
     * @param median median time of the algorithm when it was found to be the fastest
     * @param spread distance of its quartiles
     * @param trials number of trials that have ended on the class of calls
     */
    public DriftWatch(final long median, final long spread, final int trials) {
        this.median = median;
        this.spread = spread;
        this.interval = FIRST << Math.min(MAX_DOUBLINGS, Math.max(0, trials - 1));
    }

    /** Returns the number of calls until some are measured. */
    public long interval() {
        return drifts > 0 ? SOON : interval;
    }

    /** Takes the median of calls that were measured. Returns whether the time has drifted. */
    public boolean measured(final long recent) {
        if (recent > FACTOR * median && recent - median > spread || median > FACTOR * recent) {
            drifts++;
        } else {
            drifts = 0;
            interval = Math.min(LAST, 2 * interval);
        }
        return drifts == DRIFTS;
    }
}
