package tutti.coll.ring;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;

/** Tasks that read a buffer from its start to its end. A writer that overwrites the buffer behind them depends on them. For one plan. */
final class PendingReads {

    private record Read(BufferRange span, int task) {}

    private final Deque<Read> reads = new ArrayDeque<>();

    /** Adds the task that reads the next range. */
    void add(final BufferRange span, final int task) {
        reads.add(new Read(span, task));
    }

    /** Returns the tasks that read from {@code target}, and drops those that read before it. */
    int[] overlapping(final BufferRange target) {
        while (!reads.isEmpty() && reads.peek().span.end() <= target.offset()) {
            reads.remove();
        }
        return reads.stream().takeWhile(r -> r.span.offset() < target.end()).mapToInt(Read::task).toArray();
    }
}
