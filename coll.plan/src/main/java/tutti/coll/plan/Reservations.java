package tutti.coll.plan;

import java.util.Arrays;
import tutti.coll.BufferRange;

/** The scratch memory that a part of a plan has reserved: ranges in ascending order. For one thread. */
final class Reservations {
    private long[] starts = new long[4];
    private long[] ends = new long[4];
    private int count;

    void add(final long start, final long end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        starts[count] = start;
        ends[count++] = end;
    }

    /** Returns whether a range is within one reservation. */
    boolean contain(final BufferRange range) {
        final int found = Arrays.binarySearch(starts, 0, count, range.offset());
        int last = found < 0 ? -found - 2 : found;
        // empty reservations start where the next one does
        while (last + 1 < count && starts[last + 1] == range.offset()) {
            last++;
        }
        return last >= 0 && range.end() <= ends[last];
    }
}
