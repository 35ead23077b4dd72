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
 * The awaits of a run that are not met yet. As long as a thread waits for the run and polls, that thread {@linkplain AwaitPoller looks after} them.
 * When
 * nobody polls, or that thread is about to park, each leaves a {@link SlotWatch} with the rank that it awaits, and is complete when the watch comes
 * back
 * and finds the post made: like a message it is carried on by who posts. A thread that begins to poll takes them over as they are; watches
 * that are out then come back for nothing.
 *
 * <p><b>Who polls and who posts.</b> Who posts stores the mark, takes the watches, and then looks whether anybody polls; a thread that stops polling
 * says so, leaves new watches, and then looks at the marks; with full fences between. So either a watch comes back or the mark is seen.
 */
final class PendingAwaits {
    private static final VarHandle PENDING;
    private static final VarHandle NEGLECTED;

    static {
        try {
            PENDING = MethodHandles.lookup().findVarHandle(PendingAwaits.class, "pendings", int.class);
            NEGLECTED = MethodHandles.lookup().findVarHandle(PendingAwaits.class, "neglected", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Looks at marks: about as long as a post takes from core to core, some times over. */
    private static final int MOMENT = 100;

    private enum State { EARLY, REACHED, SPOILED, OTHER_CALL, NEVER }

    private final ScheduleExecution run;
    private final SharedMemoryTasks sharing;
    private final Schedule schedule;
    private final SerialExecutor home;
    /** Of each task that awaits or reads, the row of its peer. */
    private final RankSlots[] rows;
    /** Of each task that awaits, where its peer notes which call it is in; null where calls are not compared. */
    private final RankSlots[] notes;
    private final Waiting[] waiting;
    /** Of each task, whether it is an await that is not met. */
    private final boolean[] open;
    /** The tasks that are open, and some that are so no more. */
    private final int[] pending;
    private int pendings;
    /** How many of the pending have a watch out. */
    private int watched;
    /** Whether awaits leave a watch, because nobody polls. */
    private volatile boolean neglected;

    PendingAwaits(final ScheduleExecution run, final SharedMemoryTasks sharing, final Schedule schedule, final CollectiveChannel channel,
        final RankSlots[] rows) {
        this.run = run;
        this.sharing = sharing;
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
                notes[t] = schedule.call == 0 || channel.isInter() ? null : channel.board().calls().row(sharing.peer(t));
                awaits++;
            }
        }
        this.pending = new int[awaits];
    }

    /** Says, before the run is begun, whether a thread polls. */
    void tended(final boolean polls) {
        NEGLECTED.setRelease(this, !polls);
    }

    /** A thread polls from now on; for the owner of the mailbox. */
    void tend() {
        if (neglected) {
            neglected = false;
            watched = 0;
        }
    }

    /** For any thread: nobody polls any more; what is pending leaves watches once the run {@linkplain #settle settles}. Whether anybody did. */
    boolean neglect() {
        final boolean news = !neglected;
        neglected = true;
        return news;
    }

    /** Awaits a post, or completes the task at once. */
    void await(final int t) {
        final State state = state(t);
        if (state == State.EARLY) {
            open[t] = true;
            pending[pendings] = t;
            PENDING.setRelease(this, pendings + 1);
        } else {
            met(t, state);
        }
    }

    /** Whether a thread that polls should look after them. For any thread; what it says is old when it has said it. */
    boolean isDue() {
        final int count = (int) PENDING.getAcquire(this);
        if (neglected) {
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
     * Waits for a moment, since most posts that are awaited come soon, and letting go of the mailbox to take it again costs more; until there is
     * something to do in it. Returns whether something became ready.
     */
    boolean linger() {
        if (neglected || pendings == 0 || !CoreOccupancy.maySpin()) {
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

    /** Completes those that are met. */
    void meet() {
        if (neglected) {
            // their watches do
            return;
        }
        int kept = 0;
        final int count = pendings;
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
            PENDING.setRelease(this, kept);
        }
    }

    /** When nothing is ready any more: sees to it that somebody carries on. */
    void settle() {
        if (neglected) {
            while (watched < pendings) {
                final int t = pending[watched++];
                if (open[t]) {
                           watch(t);
                }
            }
        }
    }

    /** None is pending any more. */
    void forget() {
        for (int i = 0; i < pendings; i++) {
            open[pending[i]] = false;
        }
        watched = 0;
        PENDING.setRelease(this, 0);
    }

    private void watch(final int t) {
        final long number = sharing.number();
        if (waiting[t].isOut()) {
            // it is on its way back for nothing: there was a thread that polled
            waiting[t] = new Waiting(t);
        }
        rows[t].register(number, waiting[t]);
        if (state(t) != State.EARLY || otherCall(t) != 0) {
            rows[t].wake(number);
        }
    }

    /** The call that the peer of an await is in, when it is another than this; else 0. */
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
            case NEVER -> run.spoil(new MpiFailure(ErrorClass.INTERN, "post is awaited that rank " + sharing.peer(t) + " does not make on "
                + run.name() + ": post=" + schedule.ordinal[t]));
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
        // the peer's run serves something else by now, whose numbers say nothing of this call
        return sharing.isPersistent() || seen == State.EARLY && otherCall(t) == 0 ? State.REACHED : seen;
    }

    private State seen(final int t) {
        final RankSlots row = rows[t];
        final long number = sharing.number();
        final long wanted = ShmSlot.mark(number, schedule.ordinal[t] + 1);
        final ShmSlot first = row.window(number);
        if (first == null) {
            return State.EARLY;
        }
        final ShmSlot window = first.of(schedule.parts[schedule.part[t]].index());
        if (window == null) {
            return !ShmSlot.sameCall(first.mark(), wanted) ? State.EARLY : first.call() != schedule.call ? State.OTHER_CALL : State.NEVER;
        }
        final long mark = window.mark();
        if (!ShmSlot.sameCall(mark, wanted)) {
            // the run may serve a later call of another slot by now
            return mark - wanted > 0 && row.hasEnded(number) ? State.REACHED : State.EARLY;
        }
        if (window.call() != schedule.call) {
            return State.OTHER_CALL;
        }
        return mark - wanted >= 0 ? ShmSlot.isSpoiled(mark) ? State.SPOILED : State.REACHED
            : schedule.ordinal[t] >= window.part().posts() ? State.NEVER : State.EARLY;
    }

    /** An await as its peer's row holds it. Of a call that failed, or that a thread took over, it comes back for nothing. */
    private final class Waiting extends SlotWatch {
        private final int task;

        Waiting(final int task) {
            super(home);
            this.task = task;
        }

        @Override
        protected boolean isNeeded() {
            return neglected;
        }

        @Override
        protected void back() {
            if (!neglected || !open[task] || waiting[task] != this || !sharing.isActive()) {
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
