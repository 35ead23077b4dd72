package tutti.runtime.tuning;

import java.util.Arrays;

/** Times of calls in nanoseconds. For one thread. */
public final class Samples {
    private long[] times = new long[16];
    private int count;

    /** Creates an empty set of samples. */
    public Samples() {}

    /** Adds a time. */
    public void add(final long nanos) {
        if (count == times.length) {
            times = Arrays.copyOf(times, 2 * count);
        }
        times[count++] = nanos;
    }

    /** Returns the number of times. */
    public int count() {
        return count;
    }

    /** Returns the median, of an even number of times the upper one; 0 when there is none. */
    public long median() {
        return median(count);
    }

    /** Returns the median of the times that were added first. */
    long median(final int number) {
        return number == 0 ? 0 : sorted(number)[number / 2];
    }

    /** Returns the distance between the quartiles; 0 when there is no time. */
    public long spread() {
        return upperQuartile() - lowerQuartile();
    }

    /** Returns the time below which there is a quarter of all; 0 when there is none. */
    long lowerQuartile() {
        return count == 0 ? 0 : sorted(count)[(count - 1) / 4];
    }

    /** Returns the time above which there is a quarter of all; 0 when there is none. */
    long upperQuartile() {
        return count == 0 ? 0 : sorted(count)[count - 1 - (count - 1) / 4];
    }

    private long[] sorted(final int number) {
        final long[] sorted = Arrays.copyOf(times, number);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Removes all times. */
    public void clear() {
        count = 0;
    }
}
