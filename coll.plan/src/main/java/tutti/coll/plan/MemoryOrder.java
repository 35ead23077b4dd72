package tutti.coll.plan;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The order in which tasks access one buffer: which task wrote each byte last, and which tasks have read it since. The buffer is divided into spans
 * whose bytes were accessed by the same tasks.
 *
 * <p>An access takes O(log n) time for n spans, and more for each task that it must follow. Neighbouring accesses, as of a loop over segments, take
 * O(1). For one thread.
 */
final class MemoryOrder {
    private static final int NO_TASK = -1;
    /** Number of spans from one in the index to the next one: few spans of a plan are looked up other than from their neighbours. */
    private static final int STRIDE = 16;

    /** Some of the spans by their start. A search that passes others puts some of them here, so each is passed once or twice. */
    private final TreeMap<Long, Span> index = new TreeMap<>();
    private @Nullable Span first;
    private @Nullable Span last;
    /** The span that was accessed last: the next access is often near it. */
    private @Nullable Span recent;

    /** A list of tasks that read a span since it was written, the last one first. Lists share their ends, so that a span can be split. */
    private record Readers(int task, @Nullable Readers earlier) {}

    /** Bytes that were accessed by the same tasks. Spans do not overlap, and are linked in the order of their offsets. */
    private static final class Span {
        private final long start;
        private long end;
        private int writer;
        private @Nullable Readers readers;
        private boolean indexed;
        private @Nullable Span previous;
        private @Nullable Span next;

        Span(final long start, final long end, final int writer, final @Nullable Readers readers) {
            this.start = start;
            this.end = end;
            this.writer = writer;
            this.readers = readers;
        }
    }

    /**
     * Adds a task that reads a range.
     *
     * @param before accepts the tasks that it must follow: the last ones that wrote a part of the range
     */
    void read(final long start, final long end, final int task, final IntConsumer before) {
        long at = start;
        Span span = startingAt(start);
        while (at < end) {
            if (span == null || at < span.start) {
                final long gap = span == null ? end : Math.min(end, span.start);
                recent = insert(new Span(at, gap, NO_TASK, new Readers(task, null)), span);
                at = gap;
            } else {
                splitAt(span, end);
                if (span.writer != NO_TASK) {
                    before.accept(span.writer);
                }
                span.readers = new Readers(task, span.readers);
                recent = span;
                at = span.end;
                span = span.next;
            }
        }
    }

    /**
     * Adds a task that writes a range.
     *
     * @param before accepts the tasks that it must follow: the last ones that wrote a part of the range, or those that have read it since
     */
    void write(final long start, final long end, final int task, final IntConsumer before) {
        Span span = startingAt(start);
        if (span != null && span.start == start && span.end == end) {
            accesses(span, before);
            span.writer = task;
            span.readers = null;
            recent = span;
            return;
        }
        while (span != null && span.start < end) {
            splitAt(span, end);
            accesses(span, before);
            remove(span);
            span = span.next;
        }
        recent = insert(new Span(start, end, task, null), span);
    }

    /** Passes on the tasks that a write of a span must follow. */
    private static void accesses(final Span span, final IntConsumer before) {
        if (span.readers == null && span.writer != NO_TASK) {
            before.accept(span.writer);
        }
        for (Readers r = span.readers; r != null; r = r.earlier) {
            before.accept(r.task);
        }
    }

    /** Returns the first span that ends after an offset, split so that it does not start before; null if there is none. */
    private @Nullable Span startingAt(final long offset) {
        final Span span = endingAfter(offset);
        return span == null || span.start >= offset ? span : splitAt(span, offset);
    }

    private @Nullable Span endingAfter(final long offset) {
        final Span near = recent;
        if (near != null) {
            final Span from = offset < near.start ? near.previous : near;
            final Span found = from == null ? first : offset < from.end ? from : from.next;
            if ((from == null || from.start <= offset) && (found == null || offset < found.end)) {
                return found;
            }
        }
        final Map.Entry<Long, Span> floor = index.floorEntry(offset);
        Span span = floor == null ? first : floor.getValue();
        for (int passed = 1; span != null && span.end <= offset; passed++) {
            span = span.next;
            if (passed % STRIDE == 0 && span != null && !span.indexed) {
                span.indexed = true;
                index.put(span.start, span);
            }
        }
        return span;
    }

    /** Splits a span that ends after an offset; returns its second part, or the whole if it is not split. */
    private Span splitAt(final Span span, final long offset) {
        if (span.end <= offset) {
            return span;
        }
        final Span second = new Span(offset, span.end, span.writer, span.readers);
        span.end = offset;
        return insert(second, span.next);
    }

    /** Inserts a span before another one, or as the last one. */
    private Span insert(final Span span, final @Nullable Span next) {
        final Span previous = next == null ? last : next.previous;
        span.previous = previous;
        span.next = next;
        if (previous == null) {
            first = span;
        } else {
            previous.next = span;
        }
        if (next == null) {
            last = span;
        } else {
            next.previous = span;
        }
        return span;
    }

    private void remove(final Span span) {
        if (span.previous == null) {
            first = span.next;
        } else {
            span.previous.next = span.next;
        }
        if (span.next == null) {
            last = span.previous;
        } else {
            span.next.previous = span.previous;
        }
        if (span.indexed) {
            index.remove(span.start);
        }
    }
}
