package tutti.runtime.schedule;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.request.CoreOccupancy;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;
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

    /** Number of checks of the marks in {@link #linger}: a few times as long as a post takes from core to core. */
    private static final int MOMENT = 100;

    private enum State { EARLY, REACHED, SPOILED, OTHER_CALL, NEVER }

    private final ScheduleExecution run;
    private final SharedMemoryTasks sharing;
    private final Schedule schedule;
    private final SerialExecutor home;
    /** The slots of the peer of each task that awaits or reads. */
    private final RankSlots[] rows;
    /** The slots in which the peer of each await records its call; null where calls are not compared. */
    private final RankSlots[] notes;
    private final Waiting[] waiting;
    /** Per task: set while the task is an await that is not met. */
    private final boolean[] open;
    /** The pending awaits, and some that were met meanwhile. */
    private final int[] pending;
    private int pendingCount;
    /** Number of the pending awaits that have a watch registered. */
    private int watched;
    /** Set while awaits register watches because nobody polls. */
    private volatile boolean unpolled;

    PendingAwaits(final ScheduleExecution execution, final SharedMemoryTasks sharedMemory, final Schedule schedule, final CollectiveChannel channel,
        final RankSlots[] rows) {
        this.run = execution;
        this.sharing = sharedMemory;
        this.schedule = schedule;
        this.home = channel.home();
        this.rows = rows;
        this.notes = new RankSlots[schedule.tasks];
        this.waiting = new Waiting[schedule.tasks];
        this.open = new boolean[schedule.tasks];
        int awaits = 0;
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] == Schedule.AWAIT) {
                waiting[t] = new Waiting(t);
                notes[t] = schedule.call == 0 || channel.isInter() ? null : channel.board().calls().row(sharedMemory.peer(t));
                awaits++;
            }
        }
        this.pending = new int[awaits];
    }

    /** Sets whether a thread polls; called before the execution begins. */
    void tended(final boolean polls) {
        UNPOLLED.setRelease(this, !polls);
    }

    /** Starts polling; called by the owner of the mailbox. */
    void tend() {
        if (unpolled) {
            unpolled = false;
            watched = 0;
        }
    }

    /** Stops polling; pending awaits register watches in {@link #settle}. Returns whether a thread polled before. For any thread. */
    boolean neglect() {
        final boolean polled = !unpolled;
        unpolled = true;
        return polled;
    }

    /** Awaits a post; completes the task at once if it was made. */
    void await(final int t) {
        final State state = state(t);
        if (state == State.EARLY) {
            open[t] = true;
            pending[pendingCount] = t;
            PENDING_COUNT.setRelease(this, pendingCount + 1);
        } else {
            met(t, state);
        }
    }

    /** Returns whether a polling thread has to check the awaits. For any thread; the answer may be out of date when it is returned. */
    boolean isDue() {
        final int count = (int) PENDING_COUNT.getAcquire(this);
        if (unpolled) {
            return count > 0;
        }
        for (int i = 0; i < count; i++) {
            if (state(pending[i]) != State.EARLY) {
                return true;
            }
        }
        return false;
    }

    /**
     * Polls for a short time until an await is met or the mailbox has other work. Most posts are made soon, and releasing the mailbox and taking
     * it again costs more than this. Returns whether a task became ready.
     */
    boolean linger() {
        if (unpolled || pendingCount == 0 || !CoreOccupancy.maySpin()) {
            return false;
        }
        for (int i = 0; i < MOMENT && !home.isWanted(); i++) {
            if (isDue()) {
                meet();
                return sharing.isActive();
            }
        }
        return false;
    }

    /** Completes the awaits that are met. */
    void meet() {
        if (unpolled) {
            // their watches complete them
            return;
        }
        int kept = 0;
        final int count = pendingCount;
        for (int i = 0; i < count && sharing.isActive(); i++) {
            final int t = pending[i];
            final State state = open[t] ? state(t) : null;
            if (state == State.EARLY) {
                pending[kept++] = t;
            } else if (state != null) {
                met(t, state);
            }
        }
        if (sharing.isActive()) {
            PENDING_COUNT.setRelease(this, kept);
        }
    }

    /** Registers watches for the pending awaits if nobody polls. Called when no task is ready. */
    void settle() {
        if (unpolled) {
            while (watched < pendingCount) {
                final int t = pending[watched++];
                if (open[t]) {
                    watch(t);
                }
            }
        }
    }

    /** Clears the pending awaits. */
    void forget() {
        for (int i = 0; i < pendingCount; i++) {
            open[pending[i]] = false;
        }
        watched = 0;
        PENDING_COUNT.setRelease(this, 0);
    }

    private void watch(final int t) {
        final long number = sharing.number();
        if (waiting[t].isOut()) {
            // the earlier watch is still registered or in the inbox, because a thread polled meanwhile; it will have no effect
            waiting[t] = new Waiting(t);
        }
        rows[t].register(number, waiting[t]);
        if (state(t) != State.EARLY || otherCall(t) != 0) {
            rows[t].wake(number);
        }
    }

    /** Returns the call of an await's peer if it is another than this one; else 0. */
    private long otherCall(final int t) {
        final long call = !sharing.isPersistent() && notes[t] != null ? notes[t].noted(sharing.number()) : 0;
        return call == schedule.call ? 0 : call;
    }

    private void met(final int t, final State state) {
        switch (state) {
            case SPOILED -> run.spoil(run.hearsay(sharing.peer(t)));
            case OTHER_CALL -> {
                run.disagree(sharing.peer(t), rows[t].window(sharing.number()).call());
                return;
            }
            case NEVER -> run.spoil(new MpiFailure(ErrorClass.INTERN, "awaited post is not in the plan of rank "
                + sharing.peer(t) + " on " + run.name() + ": post=" + schedule.ordinal[t]));
            default -> { }
        }
        open[t] = false;
        run.done(t);
    }

    private State state(final int t) {
        final State seen = seen(t);
        if (seen == State.REACHED || seen == State.SPOILED || !rows[t].hasEnded(sharing.number())) {
            return seen;
        }
        // the peer's execution serves another call by now, so its numbers mean nothing here
        return sharing.isPersistent() || seen == State.EARLY && otherCall(t) == 0 ? State.REACHED : seen;
    }

    private State seen(final int t) {
        final RankSlots slots = rows[t];
        final long number = sharing.number();
        final long wanted = ShmSlot.mark(number, schedule.ordinal[t] + 1);
        final ShmSlot first = slots.window(number);
        if (first == null) {
            return State.EARLY;
        }
        final ShmSlot slot = first.of(schedule.parts[schedule.part[t]].index());
        if (slot == null) {
            return !ShmSlot.sameCall(first.mark(), wanted) ? State.EARLY : first.call() != schedule.call ? State.OTHER_CALL : State.NEVER;
        }
        final long mark = slot.mark();
        if (!ShmSlot.sameCall(mark, wanted)) {
            // the execution may serve a later call in another slot by now
            return mark - wanted > 0 && slots.hasEnded(number) ? State.REACHED : State.EARLY;
        }
        if (slot.call() != schedule.call) {
            return State.OTHER_CALL;
        }
        return mark - wanted >= 0 ? ShmSlot.isSpoiled(mark) ? State.SPOILED : State.REACHED
            : schedule.ordinal[t] >= slot.part().posts() ? State.NEVER : State.EARLY;
    }

    /** The watch of an await. It has no effect when the call failed or a thread took over by polling. */
    private final class Waiting extends SlotWatch {
        private final int task;

        Waiting(final int task) {
            super(home);
            this.task = task;
        }

        @Override
        protected boolean isNeeded() {
            return unpolled;
        }

        @Override
        protected void back() {
            if (!unpolled || !open[task] || waiting[task] != this || !sharing.isActive()) {
                return;
            }
            final State state = state(task);
            final long other = otherCall(task);
            if (state != State.EARLY) {
                met(task, state);
                run.goOn();
            } else if (other != 0) {
                run.disagree(sharing.peer(task), other);
            } else {
                watch(task);
            }
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.broke(why);
        }
    }
}
