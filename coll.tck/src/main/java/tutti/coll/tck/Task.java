package tutti.coll.tck;

import java.util.Arrays;
import tutti.coll.Reduction;
import tutti.coll.Span;

/**
 * One task of a recorded plan.
 *
 * @param id        number in its plan, from 0
 * @param kind      what it does
 * @param from      what it reads; of a reduce task the operand of the lower ranks; null when nothing
 * @param into      what it writes; null when nothing
 * @param peer      rank that it sends to or receives from; -1 for none
 * @param reduction of a reduce task, else null
 * @param after     the tasks that must be complete before it starts
 */
public record Task(int id, Kind kind, Span from, Span into, int peer, Reduction reduction, int[] after) {

    /** What a task does. */
    public enum Kind {
        /** Sends. */
        SEND,
        /** Receives. */
        RECV,
        /** Copies. */
        COPY,
        /** Combines. */
        REDUCE,
        /** Orders. */
        FENCE
    }

    /** Whether this and the other use the same memory and one of them writes it. */
    public boolean conflictsWith(final Task other) {
        return overlap(into, other.into) || overlap(into, other.from) || overlap(from, other.into);
    }

    static boolean overlap(final Span a, final Span b) {
        return a != null && b != null && a.buffer() == b.buffer() && a.bytes() > 0 && b.bytes() > 0
            && a.offset() < b.end() && b.offset() < a.end();
    }

    @Override
    public String toString() {
        return kind + (from == null ? "" : " " + from) + (into == null ? "" : " into " + into) + " after " + Arrays.toString(after);
    }
}
