package tutti.runtime.schedule;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.SegmentSlots;
import tutti.runtime.shm.SlotWatch;

/**
 * The pending awaits of an execution.
 *
 * <p>As long as a thread waits for the execution and polls, that thread {@linkplain AwaitPoller checks} them. When nobody polls, or that thread
 * is about to park, each await registers a {@link SlotWatch} with the rank that it awaits. It completes when the watch is woken and finds the
 * post made: as with a message, the posting thread continues the execution. A thread that begins to poll takes over all awaits as they are;
 * watches that are registered then have no effect when they are woken.
 *
 * <p><b>Memory order.</b> A posting thread stores the mark, takes the watches, and then checks whether anybody polls. A thread that stops
 * polling says so, registers new watches, and then checks the marks. Both have full fences between the steps. So either the watch is woken or
 * the mark is seen.
 *
 * <p><b>Threads.</b> All state belongs to the owner of the mailbox. The count is stored with release after the entries that it counts, so that the
 * polling thread may read them in {@link #isDue}. What that thread finds may be out of date; the owner checks again.
 */
final class PendingAwaits {
    private static final VarHandle PENDING_COUNT;
    private static final VarHandle UNPOLLED;

    static {
        try {
            PENDING_COUNT = MethodHandles.lookup().findVarHandle(PendingAwaits.class, "pendingCount", int.class);
            UNPOLLED = MethodHandles.lookup().findVarHandle(PendingAwaits.class, "unpolled", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Number of checks of the marks in {@link #spin}: a few times as long as a post takes from core to core. */
    private static final int SPINS = 100;

    private enum State { NOT_POSTED, POSTED, INVALID, OTHER_CALL, MISSING, LOST }

    private final ScheduleExecution execution;
    private final SharedMemoryTasks sharedMemory;
    private final Schedule schedule;
    private final SerialExecutor home;
    /** The slots of the peer of each task that awaits or reads. */
    private final RankSlots[] rankSlots;
    /** The slots in which the peer of each await records its call; null where calls are not compared. */
    private final @Nullable RankSlots[] peerCalls;
    private final AwaitWatch[] watches;
    /** Per task: set while the task is an await that is not met. */
    private final boolean[] unmet;
    /** The pending awaits, and some that were met meanwhile. */
    private final int[] pending;
    private int pendingCount;
    /** Number of the pending awaits that have a watch registered. */
    private int watched;
    /** Set while awaits register watches because nobody polls. */
    private volatile boolean unpolled;

    PendingAwaits(final ScheduleExecution execution, final SharedMemoryTasks sharedMemory, final Schedule schedule, final CollectiveChannel channel,
        final RankSlots[] rows) {
        this.execution = execution;
        this.sharedMemory = sharedMemory;
        this.schedule = schedule;
        this.home = channel.home();
        this.rankSlots = rows;
        this.peerCalls = new RankSlots[schedule.tasks];
        this.watches = new AwaitWatch[schedule.tasks];
        this.unmet = new boolean[schedule.tasks];
        int awaits = 0;
        for (int t = 0; t < schedule.tasks; t++) {
            if (isAwait(t) || schedule.kind[t] == Schedule.RESERVE) {
                watches[t] = new AwaitWatch(t);
                peerCalls[t] = !isAwait(t) || schedule.call == 0 || channel.isInter() ? null : channel.region().calls().slots(sharedMemory.peer(t));
                awaits++;
            }
        }
        this.pending = new int[awaits];
    }

    private boolean isAwait(final int t) {
        return schedule.kind[t] == Schedule.AWAIT;
    }

    /** Sets whether a thread polls; called before the execution begins. */
    void setPolled(final boolean polls) {
        UNPOLLED.setRelease(this, !polls);
    }

    /** Starts polling; called by the owner of the mailbox. */
    void startPolling() {
        if (unpolled) {
            unpolled = false;
            watched = 0;
        }
    }

    /** Stops polling; pending awaits register watches in {@link #registerWatches}. Returns whether a thread polled before. For any thread. */
    boolean stopPolling() {
        if (unpolled) {
            return false;
        }
        unpolled = true;
        return true;
    }

    /** Awaits a post; completes the task at once if it was made. */
    void await(final int t) {
        final State state = state(t);
        if (state == State.NOT_POSTED) {
            unmet[t] = true;
            pending[pendingCount] = t;
            PENDING_COUNT.setRelease(this, pendingCount + 1);
        } else {
            complete(t, state);
        }
    }

    /** Returns whether a polling thread has to check the awaits. For any thread; the answer may be out of date when it is returned. */
    boolean isDue() {
        final int count = (int) PENDING_COUNT.getAcquire(this);
        if (unpolled) {
            return count > 0;
        }
        for (int i = 0; i < count; i++) {
            if (state(pending[i]) != State.NOT_POSTED) {
                return true;
            }
        }
        return false;
    }

    /**
     * Polls for a short time until an await is met or the mailbox has other work. Most posts are made soon, and releasing the mailbox and taking
     * it again costs more than this. Returns whether a task became ready.
     */
    boolean spin() {
        if (unpolled || pendingCount == 0 || !CoreOccupancy.maySpin()) {
            return false;
        }
        for (int i = 0; i < SPINS && !home.hasQueuedWork(); i++) {
            if (isDue()) {
                completeMet();
                return sharedMemory.isActive();
            }
        }
        return false;
    }

    /** Completes the awaits that are met, and runs the tasks that became ready. */
    void check() {
        completeMet();
        if (sharedMemory.isActive()) {
            execution.resume();
        }
    }

    private void completeMet() {
        if (unpolled) {
            // their watches complete them
            return;
        }
        int kept = 0;
        final int count = pendingCount;
        for (int i = 0; i < count && sharedMemory.isActive(); i++) {
            final int t = pending[i];
            final State state = unmet[t] ? state(t) : null;
            if (state == State.NOT_POSTED) {
                pending[kept++] = t;
            } else if (state != null) {
                complete(t, state);
            }
        }
        if (sharedMemory.isActive()) {
            PENDING_COUNT.setRelease(this, kept);
        }
    }

    /** Registers watches for the pending awaits if nobody polls. Called when no task is ready. */
    void registerWatches() {
        if (unpolled) {
            while (watched < pendingCount) {
                final int t = pending[watched++];
                if (unmet[t]) {
                    watch(t);
                }
            }
        }
    }

    /** Clears the pending awaits. */
    void clear() {
        for (int i = 0; i < pendingCount; i++) {
            unmet[pending[i]] = false;
        }
        watched = 0;
        PENDING_COUNT.setRelease(this, 0);
    }

    private void watch(final int t) {
        final long number = sharedMemory.number();
        if (watches[t].isRegistered()) {
            // the earlier watch is still registered or in the inbox, because a thread polled meanwhile; it will have no effect
            watches[t] = new AwaitWatch(t);
        }
        if (!isAwait(t)) {
            sharedMemory.watchReaders(t, watches[t]);
            return;
        }
        rankSlots[t].register(number, watches[t]);
        if (state(t) != State.NOT_POSTED || otherCall(t) != 0) {
            rankSlots[t].wake(number);
        }
    }

    /** Returns the call of an await's peer if it is another than this one; else 0. */
    private long otherCall(final int t) {
        final RankSlots calls = peerCalls[t];
        final long call = calls != null && !sharedMemory.isPersistent() ? calls.recordedCall(sharedMemory.number()) : 0;
        return call == schedule.call ? 0 : call;
    }

    /**
     * Returns the call that an await's peer has begun in this slot instead of this one; 0 if it has left that call since. The segments of a call
     * begin one after the other, the first one last.
     */
    private long begunCall(final int t) {
        final long expected = schedule.callOfPeer(t);
        final long ofSegment = begunCall(t, schedule.segments[schedule.segment[t]].index());
        final long call = ofSegment == 0 || ofSegment == expected ? begunCall(t, 0) : ofSegment;
        return call == expected ? 0 : call;
    }

    private long begunCall(final int t, final int segment) {
        final SegmentSlots peer = rankSlots[t].segment(segment);
        if (peer == null) {
            return 0;
        }
        final long number = sharedMemory.number();
        final long begun = SegmentSlots.mark(number, 0);
        final long mark = peer.mark(number);
        final long call = peer.call(number);
        final boolean isCurrent = SegmentSlots.sameCall(mark, begun) && !SegmentSlots.isBeginning(mark)
            && SegmentSlots.sameCall(peer.mark(number), begun);
        return isCurrent ? call : 0;
    }

    private void complete(final int t, final State state) {
        switch (state) {
            case INVALID -> execution.invalidate(execution.remoteFailure(sharedMemory.worldRank(t)));
            case OTHER_CALL -> {
                final long other = begunCall(t);
                if (other == 0) {
                    execution.invalidate(execution.remoteFailure(sharedMemory.worldRank(t)));
                } else if (sharedMemory.failMismatch(t, other)) {
                    return;
                }
            }
            // Cause: a plan of shared memory is wrong; with class `MPI_ERR_COUNT`, ranks gave lengths that differ. Remedy: report it to the author of
            // the module; give the same lengths.
            case MISSING -> execution.invalidate(new MpiFailure(schedule.misfit(), "awaited post is not in the plan of "
                + sharedMemory.peerName(t) + " on " + execution.name() + ": post=" + schedule.ordinal[t]));
            case LOST -> {
                final MpiFailure why = sharedMemory.loss(t);
                if (!isAwait(t) || !why.isOfLoss()) {
                    execution.fail(why);
                    return;
                }
                execution.invalidate(why);
            }
            default -> {}
        }
        unmet[t] = false;
        if (!isAwait(t)) {
            sharedMemory.reserve(t);
        }
        execution.done(t);
    }

    private State state(final int t) {
        if (!isAwait(t)) {
            return sharedMemory.isClosed(t) ? State.LOST : sharedMemory.mayReserve(t) ? State.POSTED : State.NOT_POSTED;
        }
        State seen = seen(t);
        if (seen == State.POSTED || seen == State.INVALID) {
            return seen;
        }
        if (rankSlots[t].hasLeft()) {
            // the peer may have posted after the first look
            seen = seen(t);
            return seen == State.POSTED || seen == State.INVALID ? seen : State.LOST;
        }
        if (!rankSlots[t].hasEnded(sharedMemory.number())) {
            return seen;
        }
        // the peer may have posted after the first look and before its end
        seen = seen(t);
        if (seen == State.POSTED || seen == State.INVALID) {
            return seen;
        }
        // the peer's execution serves another call by now, so its numbers mean nothing here; starts of a persistent collective have one signature
        return seen != State.OTHER_CALL && (sharedMemory.isPersistent() || seen == State.NOT_POSTED && otherCall(t) == 0) ? State.POSTED : seen;
    }

    private State seen(final int t) {
        final RankSlots slots = rankSlots[t];
        final long number = sharedMemory.number();
        final long wanted = SegmentSlots.mark(number, schedule.ordinal[t] + 1);
        final int segment = schedule.segments[schedule.segment[t]].index();
        final SegmentSlots peer = slots.segment(segment);
        final long mark = peer == null ? -1 : peer.mark(number);
        if (peer == null || !SegmentSlots.sameCall(mark, wanted)) {
            // the slot may serve a later call by now
            return mark - wanted > 0 && slots.hasEnded(number) ? State.POSTED : missing(t, slots, segment, wanted);
        }
        if (mark - wanted >= 0 && peer.call(number) == schedule.callOfPeer(t)) {
            return SegmentSlots.isInvalid(mark) ? State.INVALID : State.POSTED;
        }
        final boolean isOther = peer.call(number) != schedule.callOfPeer(t);
        final boolean isMissing = schedule.ordinal[t] >= peer.posts(number);
        // both are those of this call if its mark is still there
        return SegmentSlots.isBeginning(mark) || !SegmentSlots.sameCall(peer.mark(number), wanted) ? State.NOT_POSTED
            : isOther ? State.OTHER_CALL : isMissing ? missing(mark) : State.NOT_POSTED;
    }

    /** Returns the state of an await whose post the peer does not make: the peer's plan does not have it, or the peer could not plan the call. */
    private static State missing(final long mark) {
        return SegmentSlots.isInvalid(mark) ? State.INVALID : State.MISSING;
    }

    /** Returns the state of an await whose segment the peer had not begun: it never will if it has begun the first one. */
    private State missing(final int t, final RankSlots slots, final int segment, final long wanted) {
        final SegmentSlots first = slots.segment(0);
        final long number = sharedMemory.number();
        final long mark = segment == 0 || first == null ? -1 : first.mark(number);
        if (first == null || !SegmentSlots.sameCall(mark, wanted) || SegmentSlots.isBeginning(mark)) {
            return State.NOT_POSTED;
        }
        // looked up again, as the first segment begins last
        final SegmentSlots peer = slots.segment(segment);
        final boolean hasBegun = peer != null && peer.mark(number) - SegmentSlots.mark(number, 0) >= 0;
        final boolean isOther = first.call(number) != schedule.callOfPeer(t);
        return hasBegun || !SegmentSlots.sameCall(first.mark(number), wanted) ? State.NOT_POSTED : isOther ? State.OTHER_CALL : missing(mark);
    }

    /** The watch of an await. It has no effect when the call failed or a thread took over by polling. */
    private final class AwaitWatch extends SlotWatch {
        private final int task;

        AwaitWatch(final int task) {
            super(home);
            this.task = task;
        }

        @Override
        protected boolean isNeeded() {
            return unpolled;
        }

        @Override
        protected void woken() {
            if (!unpolled || !unmet[task] || watches[task] != this || !sharedMemory.isActive()) {
                return;
            }
            final State state = state(task);
            final long other = otherCall(task);
            if (state != State.NOT_POSTED) {
                complete(task, state);
                execution.resume();
            } else if (other != 0) {
                execution.failMismatch(sharedMemory.worldRank(task), schedule.call, other);
            } else {
                watch(task);
            }
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            execution.failInternal(why);
        }
    }
}
