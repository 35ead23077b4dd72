package tutti.runtime.collective;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
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

/**
 * A persistent collective: planned once and started repeatedly, with one execution and the same memory.
 * A start allocates nothing, except in reductions and with {@code check=full}.
 *
 * <p>The execution is returned to the cache when the request is freed, or when it is complete where that is later.
 *
 * <p><b>Threads.</b> The state decides who returns the execution: the thread that frees the request, or the one that completes the execution. A start
 * owns the buffers until the execution is complete.
 */
final class PersistentCollective extends PersistentRequest implements ScheduleExecution.CompletionListener {
    private enum State { INACTIVE, ACTIVE, FAILED, FREED }

    private final AtomicReference<State> state = new AtomicReference<>(State.INACTIVE);
    private final CollectiveEngine engine;
    private final @Nullable ScheduleExecution execution;
    private final @Nullable MessageBuffer send;
    private final @Nullable MessageBuffer recv;
    private final int number;
    private final @Nullable CallDetails details;
    private final @Nullable AwaitPoller poller;
    private long round;

    /**
     * Creates an inactive request. {@code execution} is null when there is nothing to do; the number of the call is equal on all ranks;
     * {@code details} is null where calls are not compared.
     */
    PersistentCollective(final RankLifecycle lifecycle, final CollectiveEngine engine, final @Nullable ScheduleExecution execution,
        final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv,
        final int number,
        final @Nullable CallDetails details) {
        super(lifecycle);
        this.engine = engine;
        this.execution = execution;
        this.send = send;
        this.recv = recv;
        this.number = number;
        this.details = details;
        this.poller = execution == null ? null : execution.newPoller(this);
        finish(null);
    }

    @Override
    public void start() {
        if (execution == null) {
            return;
        }
        if (!state.compareAndSet(State.INACTIVE, State.ACTIVE)) {
            throw new MpiFailure(ErrorClass.REQUEST, "persistent collective cannot be started: state=" + state.get());
        }
        reset();
        engine.comm().pendingCollectives().hold();
        engine.start(execution, send, recv, number, round++, details, this);
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        if (recv != null && failure == null) {
            recv.store();
        }
        return failure;
    }

    /**
     * Completes the request; it becomes inactive first, since a thread that finds it complete may start it. A failed execution is not started
     * again.
     */
    @Override
    public void afterCompletion(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        if (!state.compareAndSet(State.ACTIVE, failure == null ? State.INACTIVE : State.FAILED)) {
            engine.release(complete);
        }
        final PendingOperations pending = engine.comm().pendingCollectives();
        finish(failure);
        pending.release();
    }

    @Override
    public void free() {
        final State before = state.getAndSet(State.FREED);
        engine.forget(this);
        if (execution != null && (before == State.INACTIVE || before == State.FAILED)) {
            engine.release(execution);
        }
    }

    @Override
    protected void poll() {
        if (poller != null) {
            poller.poll();
        }
    }

    @Override
    protected void pollShared() {
        if (poller != null) {
            poller.pollShared();
        }
    }

    @Override
    protected void parking() {
        if (poller != null) {
            poller.stop();
        }
    }

    @Override
    protected @Nullable MpiFailure ownFailure() {
        return execution != null && state.get() == State.ACTIVE ? execution.ownFailure() : null;
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
