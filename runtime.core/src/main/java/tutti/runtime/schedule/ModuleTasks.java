package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.plan.Assignment;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;

/**
 * The tasks of an execution that a module carries out: copies and reductions by workers, opaque tasks, offloaded collectives. Each start of a task
 * allocates an object, so that a module that completes an earlier start late has no effect.
 *
 * <p>A failed copy, reduction or opaque task makes the data invalid, as a failed reduction of the runtime does. A failed offloaded collective fails
 * the execution, since the results of the other ranks may be missing as well; {@link PeerWatch} tells them.
 *
 * <p><b>Threads.</b> Belongs to the owner of the mailbox. A module completes its task on any thread, by an item of work for the mailbox.
 */
final class ModuleTasks {
    private final ScheduleExecution execution;
    private final Schedule schedule;
    private final CollectiveChannel[] channels;
    private final RankLifecycle lifecycle;
    /** Per task: its start in progress; null for none. */
    private final @Nullable StartedTask<?>[] started;
    /** Hears of the failure of peers; null when there are no offloaded collectives. */
    private final @Nullable PeerWatch watch;

    ModuleTasks(final ScheduleExecution execution, final Schedule schedule, final CollectiveChannel[] channels, final RankLifecycle lifecycle) {
        this.execution = execution;
        this.schedule = schedule;
        this.channels = channels;
        this.lifecycle = lifecycle;
        this.started = new StartedTask<?>[schedule.tasks];
        this.watch = schedule.offloaded == 0 ? null : new PeerWatch(execution, schedule, channels);
    }

    /** Starts a task by a worker, or an opaque task. */
    void start(final int t) {
        switch (schedule.assignment(t)) {
            case final Assignment.ByWorker a ->
                begin(new StartedWorkerTask(this, t, a.handler(), memory(t, schedule.from[t].at(schedule.fromOffset[t],
                    schedule.bytes[t])), memory(t, schedule.into[t].at(schedule.intoOffset[t], schedule.bytes[t])), schedule.reduction[t]));
            case final Assignment.Opaque a -> begin(new StartedOpaqueTask(this, t, a.handler(), memory(t, a.reads()), memory(t, a.writes())));
            case null, default -> throw new IllegalStateException("nobody carries out the task: task=" + t);
        }
    }

    /** Starts this rank's part of an offloaded collective, unless the call has failed on this rank or on one that takes part. */
    void offload(final int t, final long messageNumber) {
        final MpiFailure invalid = execution.invalidCause();
        if (invalid != null) {
            execution.fail(invalid);
            return;
        }
        final PeerWatch peers = watch;
        if (peers == null || !(schedule.assignment(t) instanceof final Assignment.Offloaded a)) {
            throw new IllegalStateException("no device carries out the task: task=" + t);
        }
        peers.begin(schedule.channel[t], messageNumber);
        if (!execution.hasFailed()) {
            final CollectiveChannel on = channels[schedule.channel[t]];
            begin(new StartedOffloadedTask(this, t, a, memory(t, a.send()), memory(t, a.recv()), on,
                messageNumber << Integer.SIZE | schedule.ordinal[t]));
        }
    }

    private void begin(final StartedTask<?> task) {
        started[task.id()] = task;
        lifecycle.endsWithRank(task);
        task.begin();
        if (lifecycle.isEnded()) {
            // the rank may have been ended before the task was known to it
            task.run();
        }
    }

    private MemorySegment memory(final int t, final @Nullable BufferRange range) {
        return range == null ? ScheduleExecution.EMPTY : execution.memory(range.buffer(), t).asSlice(range.offset(), range.bytes());
    }

    private List<MemorySegment> memory(final int t, final List<BufferRange> ranges) {
        return ranges.stream().map(r -> memory(t, r)).toList();
    }

    /** Completes a task on the node's threads: it is done under ownership of the mailbox. */
    void submit(final StartedTask<?> task) {
        channels[0].home().submit(task);
    }

    /** Forgets that the end of the rank cancels a task. */
    void leave(final StartedTask<?> task) {
        lifecycle.endedBeforeRank(task);
    }

    /** Accepts that a task is complete or has failed. Called under ownership of the mailbox. */
    void ended(final StartedTask<?> task, final @Nullable MpiFailure failure) {
        leave(task);
        final int t = task.id();
        if (started[t] != task) {
            return;
        }
        started[t] = null;
        final boolean isOffloaded = schedule.kind[t] == Schedule.OFFLOADED;
        if (isOffloaded && failure != null) {
            execution.invalidate(failure);
            execution.fail(failure);
            return;
        }
        if (isOffloaded && watch != null) {
            watch.oneIsComplete();
        }
        if (failure != null) {
            execution.invalidate(failure);
        }
        execution.done(t);
        execution.resume();
    }

    /** Fails the execution because of an error in the runtime. */
    void failInternal(final MpiFailure why) {
        execution.failInternal(why);
    }

    /** Returns the communicator's name. */
    String name() {
        return execution.name();
    }

    /** Accepts the end of the execution; cancels the tasks in progress if it has failed. */
    void end(final boolean isFailed) {
        if (watch != null) {
            watch.end();
        }
        for (int t = 0; isFailed && t < started.length; t++) {
            final StartedTask<?> task = started[t];
            started[t] = null;
            if (task != null) {
                task.run();
            }
        }
    }
}
