package tutti.coll.plan;

import java.util.BitSet;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/** The tasks of a whole plan by number, and which of them have no successor so far. For one thread. */
final class TaskOrder<M extends PlanComm<M>> {
    private final TaskSink<M> sink;
    private final BitSet last = new BitSet();
    private int count;

    TaskOrder(final TaskSink<M> sink) {
        this.sink = sink;
    }

    int count() {
        return count;
    }

    /** Adds a task. Returns its id. */
    int add(final PlanRecorder<M> part, final TaskKind kind, final BufferRange from, final BufferRange into, final int peer, final int post,
        final Reduction reduction, final int[] after, final int... implied) {
        for (final int t : after) {
            if (t < 0 || t >= count) {
                throw new IllegalArgumentException("no such task: after=" + t + ", tasks=" + count);
            }
        }
        sink.add(part, kind, from, into, peer, post, reduction, after, implied);
        // first, because a set that loses its highest member searches for the next one
        last.set(count);
        for (final int t : after) {
            last.clear(t);
        }
        for (final int t : implied) {
            last.clear(t);
        }
        return count++;
    }

    /** Returns the tasks from {@code first} on that have no successor. */
    int[] lastSince(final int first) {
        return last.get(first, count).stream().map(t -> first + t).toArray();
    }
}
