package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.List;
import tutti.coll.advanced.OpaqueTask;
import tutti.coll.advanced.OpaqueWork;

/** A start of an opaque task. */
final class StartedOpaqueTask extends StartedTask<OpaqueTask> implements OpaqueTask {
    private final OpaqueWork work;
    private final List<MemorySegment> reads;
    private final List<MemorySegment> writes;

    StartedOpaqueTask(final ModuleTasks tasks, final int id, final OpaqueWork work, final List<MemorySegment> reads,
        final List<MemorySegment> writes) {
        super(tasks, id, work);
        this.work = work;
        this.reads = reads.stream().map(MemorySegment::asReadOnly).toList();
        this.writes = writes;
    }

    @Override
    OpaqueTask self() {
        return this;
    }

    @Override
    String what() {
        return "opaque " + work.name() + ", ranges=" + (reads.size() + writes.size());
    }

    @Override
    public List<MemorySegment> reads() {
        return reads;
    }

    @Override
    public List<MemorySegment> writes() {
        return writes;
    }
}
