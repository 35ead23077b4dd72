package tutti.coll.plan;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.Task;

/**
 * The tasks of a whole plan by id, and the order that follows from the memory that they access. For one thread.
 *
 * <p>A part of the plan, or what follows a fence, has a task before all its tasks. A predecessor that was added before that task is not passed on:
 * the task follows it.
 */
final class TaskOrder<M extends PlanComm<M>> {
    /** In place of a task, where there is none. */
    static final int NO_TASK = -1;

    private final TaskSink<M> sink;
    private final MemoryOrder recv = new MemoryOrder();
    private final MemoryOrder scratch = new MemoryOrder();
    private final MemoryOrder shared = new MemoryOrder();
    private final Predecessors before = new Predecessors();
    private final IntConsumer implied = this::imply;
    private final IntConsumer all = before::imply;
    /** Per task: whether it has no successor so far. */
    private boolean[] last = new boolean[16];
    private int count;
    /** The first task since the task that all tasks of the part follow. */
    private int since;

    /** A task of this plan. */
    private record Numbered(TaskOrder<?> plan, int id) implements Task {
        @Override
        public String toString() {
            return "task " + id;
        }
    }

    TaskOrder(final TaskSink<M> sink) {
        this.sink = sink;
    }

    int count() {
        return count;
    }

    private void imply(final int task) {
        if (task >= since) {
            before.imply(task);
        }
    }

    private int id(final @Nullable Task task) {
        if (task instanceof Numbered(final TaskOrder<?> plan, final int id) && plan == this) {
            return id;
        }
        throw new IllegalArgumentException("not a task of this plan: after=" + task);
    }

    /**
     * Adds a task.
     *
     * @param part  the part that it belongs to
     * @param reads the range that it reads of the rank's own memory; null for none
     * @param also  a further predecessor, or {@link #NO_TASK}
     * @param after the tasks that the algorithm named
     * @return its id
     */
    int add(final PlanRecorder<M> part, final TaskKind kind, final @Nullable BufferRange from, final @Nullable BufferRange reads,
        final @Nullable BufferRange into, final int peer, final int post, final @Nullable Reduction reduction, final int also, final Task... after) {
        order(part, reads, into, also, after);
        return accept(part, kind, from, into, peer, post, reduction);
    }

    /**
     * Adds a fence before the tasks of a nested part, or the task that reserves its shared memory: it is ordered as a task that reads and writes
     * ranges.
     */
    int addBefore(final PlanRecorder<M> part, final TaskKind kind, final @Nullable BufferRange reads, final @Nullable BufferRange writes,
        final Task... after) {
        order(part, reads, writes, NO_TASK, after);
        return accept(part, kind, null, null, -1, -1, null);
    }

    /** Adds an opaque task, which is ordered by all ranges that it reads and writes. Returns its id. */
    int addOpaque(final PlanRecorder<M> part, final List<BufferRange> reads, final List<BufferRange> writes, final Task... after) {
        begin(part, after);
        final IntConsumer preceding = part.isReader() ? all : implied;
        reads.forEach(r -> access(r, null, preceding));
        writes.forEach(w -> access(null, w, preceding));
        addNamed(part, NO_TASK, after);
        return accept(part, TaskKind.OPAQUE, null, null, -1, -1, null);
    }

    /** Collects the predecessors of the next task. */
    private void order(final PlanRecorder<M> part, final @Nullable BufferRange reads, final @Nullable BufferRange writes, final int also,
        final Task... after) {
        begin(part, after);
        access(reads, writes, part.isReader() ? all : implied);
        addNamed(part, also, after);
    }

    private void begin(final PlanRecorder<M> part, final Task... after) {
        for (final Task t : after) {
            id(t);
        }
        before.clear(count);
        since = part.first();
    }

    /** Adds the predecessors of the next task that do not follow from memory. */
    private void addNamed(final PlanRecorder<M> part, final int also, final Task... after) {
        if (also != NO_TASK) {
            imply(also);
        }
        if ((before.count() == 0 || part.isReader()) && part.start() != NO_TASK) {
            before.imply(part.start());
        }
        for (final Task t : after) {
            before.add(id(t));
        }
    }

    /** Adds a fence after all tasks from {@code first} on; {@code start} is before all of them. It reads and writes ranges. */
    int addFence(final PlanRecorder<M> part, final int first, final int start, final @Nullable BufferRange reads,
        final @Nullable BufferRange writes) {
        before.clear(count);
        for (int t = first; t < count; t++) {
            if (last[t]) {
                before.imply(t);
            }
        }
        if (before.count() == 0 && start != NO_TASK) {
            before.imply(start);
        }
        access(reads, writes, t -> {});
        return accept(part, TaskKind.FENCE, null, null, -1, -1, null);
    }

    private void access(final @Nullable BufferRange reads, final @Nullable BufferRange writes, final IntConsumer preceding) {
        if (reads != null && reads.bytes() > 0 && reads.buffer() != Buffer.SEND) {
            memory(reads.buffer()).read(reads.offset(), reads.end(), count, preceding);
        }
        if (writes != null && writes.bytes() > 0) {
            memory(writes.buffer()).write(writes.offset(), writes.end(), count, preceding);
        }
    }

    /** Returns the order of a buffer. The send buffer has none: no task writes it. */
    private MemoryOrder memory(final Buffer buffer) {
        return buffer == Buffer.RECV ? recv : buffer == Buffer.SCRATCH ? scratch : shared;
    }

    private int accept(final PlanRecorder<M> part, final TaskKind kind, final @Nullable BufferRange from, final @Nullable BufferRange into,
        final int peer, final int post, final @Nullable Reduction reduction) {
        sink.add(part, kind, from, into, peer, post, reduction, before);
        for (int i = 0; i < before.count(); i++) {
            last[before.task(i)] = false;
        }
        if (count == last.length) {
            last = Arrays.copyOf(last, 2 * count);
        }
        last[count] = true;
        return count++;
    }

    /** Returns the task of an id, as an algorithm names it. */
    Task task(final int id) {
        return new Numbered(this, id);
    }
}
