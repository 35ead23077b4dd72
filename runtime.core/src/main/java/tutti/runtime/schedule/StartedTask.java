package tutti.runtime.schedule;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.ModuleTask;
import tutti.coll.advanced.TaskHandler;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * A start of a task that a module carries out. As a {@link Runnable} it cancels the task. Safe for any thread.
 *
 * @param <T> what the module sees of it
 */
abstract sealed class StartedTask<T extends ModuleTask> extends WorkItem implements ModuleTask, Runnable permits StartedWorkerTask, StartedOpaqueTask,
    StartedOffloadedTask {
    private static final long FIRST_PAUSE_NANOS = 20_000;
    private static final long MAX_PAUSE_NANOS = 1_000_000;

    private final ModuleTasks tasks;
    private final int id;
    private final TaskHandler<T> handler;
    private final AtomicReference<State> state = new AtomicReference<>(State.STARTED);
    private @Nullable Throwable failure;

    private enum State { STARTED, COMPLETE, FAILED, CANCELLED }

    StartedTask(final ModuleTasks tasks, final int id, final TaskHandler<T> handler) {
        this.tasks = tasks;
        this.id = id;
        this.handler = handler;
    }

    /** Returns this task as the module sees it. */
    abstract T self();

    /** Returns what the task is, who carries it out and how much data it has, for the error. */
    abstract String what();

    /** Returns the number of the task in its plan. */
    final int id() {
        return id;
    }

    /** Hands the task over to the module. */
    final void begin() {
        try {
            handler.start(self());
            if (handler.isPolled()) {
                Thread.ofVirtual().name("tutti-poll-" + handler.name()).inheritInheritableThreadLocals(false).start(this::poll);
            }
        } catch (final Throwable e) {
            fail(e);
        }
    }

    private void poll() {
        long pause = FIRST_PAUSE_NANOS;
        while (state.get() == State.STARTED) {
            try {
                handler.poll(self());
            } catch (final Throwable e) {
                fail(e);
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(MAX_PAUSE_NANOS, pause + pause / 2);
        }
    }

    @Override
    public final void complete() {
        if (state.compareAndSet(State.STARTED, State.COMPLETE)) {
            tasks.submit(this);
        }
    }

    @Override
    public final void fail(final Throwable why) {
        if (state.compareAndSet(State.STARTED, State.FAILED)) {
            failure = why;
            tasks.submit(this);
        }
    }

    @Override
    public final boolean isCancelled() {
        return state.get() == State.CANCELLED;
    }

    /** Cancels the task, on a thread of the node, since a module may take its time. */
    @Override
    public final void run() {
        if (state.compareAndSet(State.STARTED, State.CANCELLED)) {
            tasks.leave(this);
            Thread.ofVirtual().name("tutti-cancel-" + handler.name()).inheritInheritableThreadLocals(false).start(() -> handler.cancel(self()));
        }
    }

    /** Completes the task under ownership of the mailbox. */
    @Override
    protected final void run(final SerialExecutor at) {
        // Cause: a worker, an opaque task or a device of a module failed; it is named. Remedy: look at the cause; report it to the author of the
        // module.
        tasks.ended(this, state.get() != State.FAILED ? null : new MpiFailure(ErrorClass.OTHER, "task of a module failed on "
            + tasks.name() + ": " + what() + ", task=" + id + ", cause=" + failure, failure));
    }

    @Override
    protected final void onFailure(final MpiFailure why) {
        tasks.failInternal(why);
    }
}
