package tutti.runtime.collective;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.schedule.AwaitPoller;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.schedule.ScheduleCache;
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
    private enum State { INACTIVE, ACTIVE, MOVING, FREED }

    private final AtomicReference<State> state = new AtomicReference<>(State.INACTIVE);
    private final CollectiveEngine engine;
    private final @Nullable PreparedCall<?> call;
    /** The epochs of its starts. */
    private final EpochSequence<Epoch> epochs;
    /** The epoch of the execution. */
    private Epoch epoch;
    /** The epochs of later starts, which are kept in use; null when the request is freed. Guarded by {@link #epochs}. */
    private @Nullable Deque<Epoch> later = new ArrayDeque<>(1);
    /** What serves the starts of the first epoch; null for what is selected, as for those of later epochs. */
    private ScheduleCache.@Nullable Choice choice;
    private final @Nullable MessageBuffer send;
    private final @Nullable MessageBuffer recv;
    private final int number;
    private final @Nullable CallDetails details;
    private final @Nullable PersistentSlots slots;
    private @Nullable ScheduleExecution execution;
    private @Nullable AwaitPoller poller;
    /** The start in progress, where a trial compares it later; else null. */
    private @Nullable KeptCall<?> kept;
    private boolean failed;
    /** Number of starts, including one that has yet to make the request active. */
    private long round;
    /** Number of starts that made the request active. As the execution, it belongs to the thread that owns the state. */
    private long activated;

    /**
     * A call that is prepared.
     *
     * @param <C> the type of the operation's calls
     */
    record PreparedCall<C extends Call>(Operation<C> operation, C call) {
        ScheduleExecution take(final Epoch from, final ScheduleCache.@Nullable Choice choice) {
            return from.cache().takeAgain(operation, call, choice);
        }
    }

    /**
     * Creates an inactive request. {@code call} is null when there is nothing to do; the number of the call is equal on all ranks; {@code details} is
     * null where calls are not compared.
     *
     * @param choice what serves it in this epoch; null for what is selected
     */
    PersistentCollective(final RankLifecycle lifecycle, final CollectiveEngine engine, final @Nullable PreparedCall<?> call, final Epoch epoch,
        final ScheduleCache.@Nullable Choice choice,
        final @Nullable MessageBuffer send,
        final @Nullable MessageBuffer recv,
        final int number,
        final @Nullable CallDetails details) {
        super(lifecycle);
        this.engine = engine;
        this.call = call;
        this.epoch = epoch;
        this.choice = choice;
        this.epochs = new EpochSequence<>(epoch);
        this.send = send;
        this.recv = recv;
        this.number = number;
        this.details = details;
        this.slots = call == null ? null : engine.comm().locality().region().persistentSlots(number);
        if (call != null) {
            use(call.take(epoch, choice), epoch);
        }
        finish(null);
    }

    private void use(final ScheduleExecution taken, final Epoch from) {
        taken.join(Objects.requireNonNull(slots));
        epoch = from;
        execution = taken;
        poller = taken.newPoller(this);
    }

    @Override
    public void start() {
        final PreparedCall<?> prepared = call;
        if (prepared == null) {
            return;
        }
        final long start = round;
        round = start + 1;
        State before = state.compareAndExchange(State.INACTIVE, State.ACTIVE);
        while (before == State.MOVING) {
            // a helper thread plans it for another epoch
            Thread.onSpinWait();
            before = state.compareAndExchange(State.INACTIVE, State.ACTIVE);
        }
        if (before != State.INACTIVE) {
            round = start;
            // Cause: it runs, or was freed. Remedy: wait for it before.
            throw new MpiFailure(ErrorClass.REQUEST, "persistent collective cannot be started: state=" + before);
        }
        activated = start + 1;
        ScheduleExecution next = Objects.requireNonNull(execution, "execution of a call");
        final Epoch current;
        boolean isTaken = false;
        try {
            current = epochs.at(start, engine.waiting());
            if (failed || current != epoch) {
                next = change(prepared, current, next);
                failed = false;
            }
            isTaken = true;
        } finally {
            if (!isTaken) {
                state.compareAndSet(State.ACTIVE, State.INACTIVE);
            }
        }
        reset();
        engine.comm().pendingCollectives().hold();
        final Canary canary = current.canary();
        kept = canary == null ? null : engine.keep(canary, prepared, send, recv, number, start);
        engine.start(next, send, recv, number, start, details, this);
    }

    private ScheduleExecution change(final PreparedCall<?> prepared, final Epoch to, final ScheduleExecution last) {
        final Epoch from = epoch;
        final ScheduleCache.Choice serving = from == to ? choice : null;
        final ScheduleExecution next = prepared.take(to, serving);
        choice = serving;
        last.leave();
        use(next, to);
        from.cache().release(last);
        if (from != to) {
            epochs.forget(from);
            leaveUntil(to);
        }
        return next;
    }

    /** Keeps an epoch in use: it may close on this rank before the request is started in it, which other ranks have started more often. */
    private void keep(final Epoch next) {
        synchronized (epochs) {
            if (later != null) {
                next.cache().hold();
                later.add(next);
            }
        }
    }

    /** Leaves the epochs that were kept up to one that has an execution now. */
    private void leaveUntil(final Epoch reached) {
        final List<Epoch> left = new ArrayList<>();
        synchronized (epochs) {
            if (later != null && later.contains(reached)) {
                Epoch next = later.remove();
                while (next != reached) {
                    left.add(next);
                    next = later.remove();
                }
                left.add(reached);
            }
        }
        for (final Epoch e : left) {
            if (e != reached) {
                epochs.forget(e);
            }
            e.cache().unhold();
        }
    }

    private void leaveAll() {
        final List<Epoch> left = new ArrayList<>();
        synchronized (epochs) {
            if (later != null) {
                left.addAll(later);
                later = null;
            }
        }
        left.forEach(e -> e.cache().unhold());
    }

    /** Proposes the start with which the next epoch begins; see {@link EpochSequence#propose}. {@link Long#MAX_VALUE} when the request was freed. */
    long propose() {
        // a start counts itself before it sets the state
        final long proposed = epochs.propose(() -> {
            state.getAndUpdate(s -> s);
            return round;
        }, 0);
        return state.get() == State.FREED ? Long.MAX_VALUE : proposed;
    }

    /** Begins the next epoch at the start that all ranks have agreed on; with {@link Long#MAX_VALUE} never. */
    void decide(final long start, final Epoch next) {
        if (start == Long.MAX_VALUE) {
            epochs.stay();
            return;
        }
        keep(next);
        epochs.decide(start, next);
        final PreparedCall<?> prepared = call;
        final ScheduleExecution last = execution;
        // so that what it has of the last epoch can be released, though it may never be started again
        if (prepared != null && last != null && state.compareAndSet(State.INACTIVE, State.MOVING)) {
            // a start that has counted itself and finds the state MOVING has yet to get its epoch, which may be the last one
            try {
                if (activated >= start && epoch != next) {
                    change(prepared, next, last);
                }
            } finally {
                if (!state.compareAndSet(State.MOVING, State.INACTIVE)) {
                    leave(Objects.requireNonNull(execution, "execution of a call"));
                }
            }
        }
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        if (recv != null && failure == null) {
            recv.store();
        }
        final KeptCall<?> compared = kept;
        if (compared != null) {
            kept = null;
            compared.ended(recv == null ? null : recv.memory(), failure);
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
        leaveAll();
        final ScheduleExecution last = execution;
        if (state.getAndSet(State.FREED) == State.INACTIVE && last != null) {
            leave(last);
        }
    }

    private void leave(final ScheduleExecution last) {
        last.leave();
        epoch.cache().release(last);
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

    /** Returns the call that was prepared; null when there is nothing to do. */
    @Nullable
    PreparedCall<?> call() {
        return call;
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
