package tutti.coll.smp;

import tutti.coll.BufferRange;

/**
 * A value that is combined with others.
 *
 * @param peer  whose memory it is in; {@link #OWN} for the planning rank's
 * @param span  where
 * @param ready the tasks after which its segments may be read, one for each or one for all; none where they may be at once
 */
record ReductionOperand(int peer, BufferRange span, int... ready) {
    /** In the planning rank's memory. */
    static final int OWN = -1;
    /** Before any task. */
    static final int AT_ONCE = -1;

    /** A segment. */
    ReductionOperand segment(final int i, final long from, final long bytes) {
        return new ReductionOperand(peer, span.slice(from, bytes), ready.length < 2 ? ready : Dependencies.of(ready[i]));
    }

    /** The task after which a segment may be read, or {@link #AT_ONCE}. */
    int first() {
        return ready.length == 0 ? AT_ONCE : ready[0];
    }

    /** What a task that reads a segment comes after, if it also comes after {@code task}. */
    int[] and(final int task) {
        return task == AT_ONCE ? ready : ready.length == 0 ? Dependencies.of(task) : Dependencies.of(task, ready[0]);
    }
}
