package tutti.coll.smp;

import tutti.coll.BufferRange;
import tutti.coll.patterns.Dependencies;

/**
 * An operand of a reduction.
 *
 * @param peer  the rank whose memory holds it; {@link #OWN} for the planning rank
 * @param span  its range in that memory
 * @param ready the tasks after which its segments may be read: one per segment, or one for all; none if they may be read at once
 */
record ReductionOperand(int peer, BufferRange span, int... ready) {
    /** The operand is in the planning rank's memory. */
    static final int OWN = -1;
    /** Stands for no task: the access needs no dependency. */
    static final int NO_TASK = -1;

    /** Returns segment {@code i} of this operand. */
    ReductionOperand segment(final int i, final long from, final long bytes) {
        return new ReductionOperand(peer, span.slice(from, bytes), ready.length < 2 ? ready : Dependencies.of(ready[i]));
    }

    /** Returns the task after which a segment may be read, or {@link #NO_TASK}. */
    int first() {
        return ready.length == 0 ? NO_TASK : ready[0];
    }

    /** Returns the dependencies of a task that reads a segment and also depends on {@code task}. */
    int[] and(final int task) {
        return task == NO_TASK ? ready : ready.length == 0 ? Dependencies.of(task) : Dependencies.of(task, ready[0]);
    }
}
