package tutti.coll.tck;

import java.util.Arrays;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * One task of a recorded plan.
 *
 * @param id        number in its plan, from 0
 * @param kind      what it does
 * @param from      what it reads, of a get or a reduce from a peer in the peer's buffers as the peer's plan names them; of a reduce task
 *                  the operand of the lower ranks; null when nothing
 * @param into      what it writes; null when nothing
 * @param peer      rank that it sends to, receives or reads from, or awaits a post of; -1 for none
 * @param post      of a post or an await, which of the posts of the rank that posts, from 0 in each plan or nested part; else -1
 * @param reduction of a reduce task, else null
 * @param after     the tasks that must be complete before it starts
 */
public record RecordedTask(int id, Kind kind, BufferRange from, BufferRange into, int peer, int post, Reduction reduction, int[] after) {

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
        /** Tells the ranks of the node that something is complete. */
        POST,
        /** Waits for a post of a peer. */
        AWAIT,
        /** Copies from a peer's memory. */
        GET,
        /** Combines with what is in a peer's memory. */
        PEER_REDUCE,
        /** Orders. */
        FENCE
    }

    /** Whether it reads a peer's memory. */
    public boolean readsPeer() {
        return kind == Kind.GET || kind == Kind.PEER_REDUCE;
    }

    /** What it reads of its own rank's memory; null when nothing. */
    BufferRange own() {
        return readsPeer() ? null : from;
    }

    static boolean overlap(final BufferRange a, final BufferRange b) {
        return a != null && b != null && a.buffer() == b.buffer() && a.bytes() > 0 && b.bytes() > 0
            && a.offset() < b.end() && b.offset() < a.end();
    }

    @Override
    public String toString() {
        return kind + (post < 0 ? "" : " " + post) + (from == null ? "" : " " + from) + (readsPeer() ? " of the peer" : "")
            + (into == null ? "" : " into " + into) + " after " + Arrays.toString(after);
    }
}
