package tutti.coll.plan;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/** The tasks of a whole plan by number, and which of them have no successor so far. For one thread. */
final class TaskOrder<M extends PlanComm<M>> {
    private final TaskSink<M> sink;
    /** Per task: whether it has no successor so far. */
    private boolean[] last = new boolean[16];
    private int count;

    TaskOrder(final TaskSink<M> sink) {
        this.sink = sink;
    }

    int count() {
        return count;
    }

    /** Adds a task. Returns its id. */
    int add(final PlanRecorder<M> part, final TaskKind kind, final @Nullable BufferRange from, final @Nullable BufferRange into, final int peer,
        final int post,
        final @Nullable Reduction reduction, final int[] after, final int... implied) {
        for (final int t : after) {
            if (t < 0 || t >= count) {
                throw new IllegalArgumentException("no such task: after=" + t + ", tasks=" + count);
            }
        }
        sink.add(part, kind, from, into, peer, post, reduction, after, implied);
        for (final int t : after) {
            last[t] = false;
        }
        for (final int t : implied) {
            last[t] = false;
        }
        if (count == last.length) {
            last = Arrays.copyOf(last, 2 * count);
        }
        last[count] = true;
        return count++;
    }

    /** Returns the tasks from {@code first} on that have no successor. */
    int[] lastSince(final int first) {
        return IntStream.range(first, count).filter(t -> last[t]).toArray();
    }
}
