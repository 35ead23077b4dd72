package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tutti.coll.Reduction;
import tutti.coll.advanced.Worker;
import tutti.coll.advanced.WorkerTask;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.WorkItem;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The tasks of an execution that workers of modules carry out. Each start of a task allocates an object, so that a worker that completes an earlier
 * start late has no effect.
 *
 * <p><b>Threads.</b> Belongs to the owner of the mailbox. A worker completes its task on any thread, by an item of work for the mailbox.
 */
final class WorkerTasks {
    private static final long FIRST_PAUSE_NANOS = 20_000;
    private static final long MAX_PAUSE_NANOS = 1_000_000;

    private final ScheduleExecution execution;
    private final Schedule schedule;
    private final CollectiveChannel channel;
    private final RankLifecycle lifecycle;
    /** Per task: its start in progress; null for none. Empty when the plan has no worker. */
    private final @Nullable StartedTask[] started;

    WorkerTasks(final ScheduleExecution execution, final Schedule schedule, final CollectiveChannel channel, final RankLifecycle lifecycle) {
        this.execution = execution;
        this.schedule = schedule;
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.started = new StartedTask[schedule.worker.length];
    }

    /** Starts a task. */
    void start(final int t) {
        final Worker worker = schedule.worker[t];
        if (worker == null) {
            throw new IllegalStateException("task has no worker: task=" + t);
        }
        final StartedTask task = new StartedTask(t, worker, execution.memory(schedule.from[t], t).asSlice(schedule.fromOffset[t], schedule.bytes[t]),
            execution.memory(schedule.into[t], t).asSlice(schedule.intoOffset[t], schedule.bytes[t]), schedule.reduction[t]);
        started[t] = task;
        lifecycle.endsWithRank(task);
        try {
            worker.start(task);
            if (worker.isPolled()) {
                Thread.ofVirtual().name("tutti-poll-" + worker.name()).inheritInheritableThreadLocals(false).start(task::poll);
            }
        } catch (final Throwable e) {
            task.fail(e);
        }
        if (lifecycle.isEnded()) {
            // the rank may have been ended before the task was known to it
            task.run();
        }
    }

    /** Cancels the tasks in progress: the execution has failed. */
    void cancel() {
        for (int t = 0; t < started.length; t++) {
            final StartedTask task = started[t];
            started[t] = null;
            if (task != null) {
                task.run();
            }
        }
    }

    private enum State { STARTED, COMPLETE, FAILED, CANCELLED }

    /** A start of a task. As a {@link Runnable} it cancels the task. */
    private final class StartedTask extends WorkItem implements WorkerTask, Runnable {
        private final int t;
        private final Worker worker;
        private final MemorySegment from;
        private final MemorySegment into;
        private final @Nullable BoundReduction reduction;
        private final AtomicReference<State> state = new AtomicReference<>(State.STARTED);
        private @Nullable Throwable failure;

        StartedTask(final int t, final Worker worker, final MemorySegment from, final MemorySegment into, final @Nullable BoundReduction reduction) {
            this.t = t;
            this.worker = worker;
            this.from = from;
            this.into = into;
            this.reduction = reduction;
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
        public @Nullable String operation() {
            return reduction == null ? null : reduction.op().name();
        }

        @Override
        public @Nullable String elementType() {
            return reduction == null ? null : reduction.type().name();
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

        @Override
        public void complete() {
            if (state.compareAndSet(State.STARTED, State.COMPLETE)) {
                channel.home().submit(this);
            }
        }

        @Override
        public void fail(final Throwable why) {
            if (state.compareAndSet(State.STARTED, State.FAILED)) {
                failure = why;
                channel.home().submit(this);
            }
        }

        @Override
        public boolean isCancelled() {
            return state.get() == State.CANCELLED;
        }

        /** Cancels the task, on a thread of the node, since a worker may take its time. */
        @Override
        public void run() {
            if (state.compareAndSet(State.STARTED, State.CANCELLED)) {
                lifecycle.endedBeforeRank(this);
                Thread.ofVirtual().name("tutti-cancel-" + worker.name()).inheritInheritableThreadLocals(false).start(() -> worker.cancel(this));
            }
        }

        private void poll() {
            long pause = FIRST_PAUSE_NANOS;
            while (state.get() == State.STARTED) {
                try {
                    worker.poll(this);
                } catch (final Throwable e) {
                    fail(e);
                }
                LockSupport.parkNanos(pause);
                pause = Math.min(MAX_PAUSE_NANOS, pause + pause / 2);
            }
        }

        /** Completes the task under ownership of the mailbox. */
        @Override
        protected void run(final SerialExecutor at) {
            lifecycle.endedBeforeRank(this);
            if (started[t] != this) {
                return;
            }
            started[t] = null;
            if (state.get() == State.FAILED) {
                execution.invalidate(new MpiFailure(ErrorClass.OTHER, "task of worker " + worker.name() + " failed on " + execution.name() + ": task="
                    + t + ", bytes=" + bytes() + ", cause=" + failure, failure));
            }
            execution.done(t);
            execution.resume();
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            execution.failInternal(why);
        }
    }
}
