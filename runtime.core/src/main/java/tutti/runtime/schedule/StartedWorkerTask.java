package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.Reduction;
import tutti.coll.advanced.Worker;
import tutti.coll.advanced.WorkerTask;
import tutti.runtime.datatype.BoundReduction;

/** A start of a copy or a reduction by a worker. */
final class StartedWorkerTask extends StartedTask<WorkerTask> implements WorkerTask {
    private final Worker worker;
    private final MemorySegment from;
    private final MemorySegment into;
    private final @Nullable BoundReduction reduction;

    StartedWorkerTask(final ModuleTasks tasks, final int id, final Worker worker, final MemorySegment from, final MemorySegment into,
        final @Nullable BoundReduction reduction) {
        super(tasks, id, worker);
        this.worker = worker;
        this.from = from;
        this.into = into;
        this.reduction = reduction;
    }

    @Override
    WorkerTask self() {
        return this;
    }

    @Override
    String what() {
        return "worker " + worker.name() + ", bytes=" + bytes();
    }

    @Override
    public MemorySegment from() {
        return from.asReadOnly();
    }

    @Override
    public MemorySegment into() {
        return into;
    }

    @Override
    public long bytes() {
        return into.byteSize();
    }

    @Override
    public @Nullable Reduction reduction() {
        return reduction;
    }

    @Override
    public void run(final long offset, final long length) {
        Objects.checkFromIndexSize(offset, length, bytes());
        if (reduction == null) {
            MemorySegment.copy(from, offset, into, offset, length);
            return;
        }
        final long element = reduction.elementBytes();
        if (offset % element != 0 || length % element != 0) {
            throw new IllegalArgumentException("part cuts an element: offset=" + offset + ", length=" + length + ", element=" + element);
        }
        reduction.apply(from, offset, into, offset, length / element);
    }
}
