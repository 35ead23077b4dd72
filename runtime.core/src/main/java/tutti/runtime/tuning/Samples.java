package tutti.runtime.tuning;

import java.util.Arrays;

/** Times of calls in nanoseconds. For one thread. */
public final class Samples {
    private long[] times = new long[16];
    private int count;
    private long least = Long.MAX_VALUE;

    /** Creates an empty set of samples. */
    public Samples() {}

    /** Adds a time. */
    public void add(final long nanos) {
        if (count == times.length) {
            times = Arrays.copyOf(times, 2 * count);
        }
        times[count++] = nanos;
        least = Math.min(least, nanos);
    }

    /** Returns the number of times. */
    public int count() {
        return count;
    }

    /** Returns the least time; {@link Long#MAX_VALUE} when there is none. */
    public long least() {
        return least;
    }

    /** Returns the median, of an even number of times the lower one; 0 when there is none. */
    public long median() {
        return quantile(2);
    }

    /** Returns the distance between the quartiles; 0 when there is no time. */
    public long spread() {
        return count == 0 ? 0 : sorted()[3 * (count - 1) / 4] - quantile(4);
    }

    private long quantile(final int part) {
        return count == 0 ? 0 : sorted()[(count - 1) / part];
    }

    private long[] sorted() {
        final long[] sorted = Arrays.copyOf(times, count);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Removes all times. */
    public void clear() {
        count = 0;
        least = Long.MAX_VALUE;
    }
}
