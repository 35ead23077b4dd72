package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.OffloadedTask;
import tutti.coll.plan.Assignment;

/** A start of a rank's part of an offloaded collective. */
final class StartedOffloadedTask extends StartedTask<OffloadedTask> implements OffloadedTask {
    private final Assignment.Offloaded assignment;
    private final MemorySegment send;
    private final MemorySegment recv;
    private final CollectiveChannel channel;
    private final long number;

    StartedOffloadedTask(final ModuleTasks tasks, final int id, final Assignment.Offloaded assignment, final MemorySegment send,
        final MemorySegment recv, final CollectiveChannel channel, final long number) {
        super(tasks, id, assignment.handler());
        this.assignment = assignment;
        this.send = send.asReadOnly();
        this.recv = assignment.call() instanceof final Call.Bcast bcast && bcast.root() == channel.rank() ? recv.asReadOnly() : recv;
        this.channel = channel;
        this.number = number;
    }

    @Override
    OffloadedTask self() {
        return this;
    }

    @Override
    String what() {
        return "offloaded " + assignment.description() + ", bytes=" + Math.max(send.byteSize(), recv.byteSize());
    }

    @Override
    public Operation<?> operation() {
        return assignment.operation();
    }

    @Override
    public Call call() {
        return assignment.call();
    }

    @Override
    public MemorySegment send() {
        return send;
    }

    @Override
    public MemorySegment recv() {
        return recv;
    }

    @Override
    public int rank() {
        return channel.rank();
    }

    @Override
    public int size() {
        return channel.peers();
    }

    @Override
    public long communicator() {
        return channel.context();
    }

    @Override
    public long number() {
        return number;
    }
}
