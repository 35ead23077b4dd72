package tutti.coll.ring;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;

/** The tasks that read a buffer from its start to its end, for who overwrites it from its start to its end, never ahead of them. */
final class PendingReads {

    private record Reader(BufferRange span, int task) { }

    private final Deque<Reader> readers = new ArrayDeque<>();

    /** The next piece was read. */
    void add(final BufferRange span, final int task) {
        readers.add(new Reader(span, task));
    }

    /** Those who read what lies in {@code target}; what lies before it is forgotten. */
    int[] of(final BufferRange target) {
        while (!readers.isEmpty() && readers.peek().span.end() <= target.offset()) {
            readers.remove();
        }
        return readers.stream().takeWhile(r -> r.span.offset() < target.end()).mapToInt(Reader::task).toArray();
    }
}
