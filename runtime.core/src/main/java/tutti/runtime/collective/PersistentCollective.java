package tutti.runtime.collective;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.schedule.AwaitPoller;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.schedule.ScheduleExecution;
import tutti.runtime.shm.PersistentSlots;

/**
 * A persistent collective: planned once and started repeatedly, with one execution and the same memory.
 * A start allocates nothing, except in reductions and with {@code check=full}. The start that follows a failed one has a new execution, and plans
 * again where planning had failed.
 *
 * <p>The execution is returned to the cache when the request is freed, or when it is complete where that is later.
 *
 * <p><b>Threads.</b> The state decides who returns the execution: the thread that frees the request, or the one that completes the execution. A start
 * owns the buffers until the execution is complete.
 */
final class PersistentCollective extends PersistentRequest implements ScheduleExecution.CompletionListener {
    private enum State { INACTIVE, ACTIVE, FREED }

    private final AtomicReference<State> state = new AtomicReference<>(State.INACTIVE);
    private final CollectiveEngine engine;
    private final @Nullable Supplier<ScheduleExecution> executions;
    private final @Nullable MessageBuffer send;
    private final @Nullable MessageBuffer recv;
    private final int number;
    private final @Nullable CallDetails details;
    private final @Nullable PersistentSlots slots;
    private @Nullable ScheduleExecution execution;
    private @Nullable AwaitPoller poller;
    private boolean failed;
    private long round;

    /**
     * Creates an inactive request. {@code executions} returns executions of the call, and is null when there is nothing to do; the number of the
     * call is equal on all ranks; {@code details} is null where calls are not compared.
     */
    PersistentCollective(final RankLifecycle lifecycle, final CollectiveEngine engine, final @Nullable Supplier<ScheduleExecution> executions,
        final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv,
        final int number,
        final @Nullable CallDetails details) {
        super(lifecycle);
        this.engine = engine;
        this.executions = executions;
        this.send = send;
        this.recv = recv;
        this.number = number;
        this.details = details;
        this.slots = executions == null ? null : engine.comm().locality().region().persistentSlots(number);
        if (executions != null) {
            take(executions);
        }
        finish(null);
    }

    private ScheduleExecution take(final Supplier<ScheduleExecution> from) {
        final ScheduleExecution taken = from.get();
        taken.join(Objects.requireNonNull(slots));
        execution = taken;
        poller = taken.newPoller(this);
        return taken;
    }

    @Override
    public void start() {
        final ScheduleExecution last = execution;
        if (last == null || executions == null) {
            return;
        }
        if (!state.compareAndSet(State.INACTIVE, State.ACTIVE)) {
            // Cause: it runs, or was freed. Remedy: wait for it before.
            throw new MpiFailure(ErrorClass.REQUEST, "persistent collective cannot be started: state=" + state.get());
        }
        ScheduleExecution next = last;
        if (failed) {
            failed = false;
            engine.release(last);
            next = take(executions);
        }
        reset();
        engine.comm().pendingCollectives().hold();
        engine.start(next, send, recv, number, round++, details, this);
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        if (recv != null && failure == null) {
            recv.store();
        }
        return failure;
    }

    /** Completes the request; it becomes inactive first, since a thread that finds it complete may start it. */
    @Override
    public void afterCompletion(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        failed = failure != null;
        if (!state.compareAndSet(State.ACTIVE, State.INACTIVE)) {
            leave(complete);
        }
        final PendingOperations pending = engine.comm().pendingCollectives();
        finish(failure);
        pending.release();
    }

    @Override
    public void free() {
        engine.forget(this);
        final ScheduleExecution last = execution;
        if (state.getAndSet(State.FREED) == State.INACTIVE && last != null) {
            leave(last);
        }
    }

    private void leave(final ScheduleExecution last) {
        engine.release(last);
        Objects.requireNonNull(slots).leave();
    }

    @Override
    protected void poll() {
        final AwaitPoller p = poller;
        if (p != null) {
            p.poll();
        }
    }

    @Override
    protected void pollShared() {
        final AwaitPoller p = poller;
        if (p != null) {
            p.pollShared();
        }
    }

    @Override
    protected void parking() {
        final AwaitPoller p = poller;
        if (p != null) {
            p.stop();
        }
    }

    @Override
    protected @Nullable MpiFailure ownFailure() {
        final ScheduleExecution running = execution;
        return running != null && state.get() == State.ACTIVE ? running.ownFailure() : null;
    }

    /** Returns the number of the call, which is the same on all ranks. */
    int number() {
        return number;
    }

    /** Returns how often the call was started; for another thread, which may find an earlier value. */
    long starts() {
        return round;
    }

    @Override
    public Pending pendingOperation() {
        return new Pending(PendingWait.Kind.PERSISTENT, engine.comm().id(), PendingWait.ANY, (int) (round - 1), number, List.of());
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
