package tutti.coll.ring;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;

/** Tasks that read a buffer from its start to its end. A writer that overwrites the buffer behind them depends on them. For one plan. */
final class PendingReads {

    private record Reader(BufferRange span, int task) { }

    private final Deque<Reader> readers = new ArrayDeque<>();

    /** Adds the task that reads the next range. */
    void add(final BufferRange span, final int task) {
        readers.add(new Reader(span, task));
    }

    /** Returns the tasks that read from {@code target}, and drops those that read before it. */
    int[] of(final BufferRange target) {
        while (!readers.isEmpty() && readers.peek().span.end() <= target.offset()) {
            readers.remove();
        }
        return readers.stream().takeWhile(r -> r.span.offset() < target.end()).mapToInt(Reader::task).toArray();
    }
}
