package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import tutti.coll.Buffer;
import tutti.coll.Span;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Item;
import tutti.runtime.match.Serial;
import tutti.runtime.request.Cores;
import tutti.runtime.share.Part;
import tutti.runtime.share.Row;
import tutti.runtime.share.Series;
import tutti.runtime.share.Watch;
import tutti.runtime.share.Window;

/**
 * The part of a run that shares memory with other ranks of the node: what it shows them, and what it awaits of them. Like the run it belongs to the
 * owner of the mailbox, but for {@link #isDue}, and allocates when it is made and never again.
 *
 * <p>Awaits that are not met yet are of two kinds. As long as a thread waits for the run and polls, they are merely pending, and that thread looks
 * after them. When nobody polls, or that thread is about to park, each leaves a {@link Watch} with the rank that it awaits, and is complete when the
 * watch comes back and finds the post made: like a message it is carried on by who posts.
 */
final class Sharing {
    private static final VarHandle PENDING;
    private static final VarHandle UNATTENDED;

    static {
        try {
            PENDING = MethodHandles.lookup().findVarHandle(Sharing.class, "pendings", int.class);
            UNATTENDED = MethodHandles.lookup().findVarHandle(Sharing.class, "unattended", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Looks at marks: about as long as a post takes from core to core, some times over. */
    private static final int MOMENT = 100;

    private enum State { EARLY, REACHED, SPOILED, OTHER_CALL, NEVER }

    private final Run run;
    private final Schedule schedule;
    private final Channel[] channels;
    private final Turns turns;
    /** Of each part that shares memory; else null. */
    private final Window[] windows;
    /** Of each communicator that memory is shared on, the window of the first part. */
    private final Window[] firsts;
    private final Row[] own;
    /** Of each task that awaits or reads, the row of its peer. */
    private final Row[] rows;
    /** Of each task that awaits, where its peer notes which call it is in; null where calls are not compared. */
    private final Row[] notes;
    private final Waiting[] waiting;
    private final int[] pending;
    private int pendings;
    private Series series;
    private long number;
    private boolean active;
    private boolean admitted;
    /** Of {@link Turns}. */
    Sharing following;
    /** Whether awaits leave a watch, because nobody polls. */
    volatile boolean unattended;

    Sharing(final Run run, final Schedule schedule, final Channel[] channels, final Turns turns) {
        this.run = run;
        this.schedule = schedule;
        this.channels = channels;
        this.turns = turns;
        this.windows = new Window[schedule.parts.length];
        this.firsts = new Window[channels.length];
        this.own = new Row[channels.length];
        this.rows = new Row[schedule.tasks];
        this.notes = new Row[schedule.tasks];
        this.waiting = new Waiting[schedule.tasks];
        int awaits = 0;
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] == Schedule.AWAIT) {
                waiting[t] = new Waiting(t);
                notes[t] = schedule.call == 0 || channels[0].isInter() ? null : channels[0].board().calls().row(peer(t));
                awaits++;
            }
        }
        this.pending = new int[awaits];
        for (int c = 0; c < channels.length; c++) {
            if (schedule.shared[c]) {
                makeWindows(c);
            }
        }
        channels[0].board().use();
        join(null);
    }

    private void makeWindows(final int channel) {
        final Part[] parts = Arrays.stream(schedule.parts).filter(p -> p.channel() == channel).toArray(Part[]::new);
        final Window[] all = new Window[parts.length];
        for (int p = 0, i = 0; p < schedule.parts.length; p++) {
            if (schedule.parts[p].channel() == channel) {
                windows[p] = new Window(schedule.parts[p], schedule.call, all);
                all[i++] = windows[p];
            }
        }
        firsts[channel] = all[0];
    }

    /** From now on it serves the starts of a persistent collective, or any call with null. */
    void join(final Series of) {
        series = of;
        for (int c = 0; c < channels.length; c++) {
            own[c] = schedule.shared[c] ? row(c, channels[c].rank()) : null;
        }
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] > Schedule.POST) {
                rows[t] = row(schedule.channel[t], schedule.peer[t]);
            }
        }
    }

    private Row row(final int channel, final int rank) {
        final Channel on = channels[channel];
        return (series == null ? on.board().calls() : series.lane(on.context(), on.peers())).row(rank);
    }

    /** Says, before it is begun, whether a thread polls. */
    void attend(final boolean polls) {
        UNATTENDED.setRelease(this, !polls);
    }

    /** Says which call it serves next. */
    void call(final long next) {
        number = next;
    }

    long number() {
        return number;
    }

    /** Begins the call and shows its windows. Returns whether it may go on; else its run is begun again later. */
    boolean begin() {
        if (series == null && !admitted && !turns.enter(this)) {
            return false;
        }
        admitted = false;
        active = true;
        for (final Window w : windows) {
            if (w != null) {
                final Part part = w.part();
                w.begin(number, memory(part.send()), memory(part.recv()), memory(part.scratch()));
            }
        }
        for (int c = 0; c < firsts.length; c++) {
            if (firsts[c] != null) {
                own[c].show(number, firsts[c]);
            }
        }
        return true;
    }

    private MemorySegment memory(final Span span) {
        return span.bytes() == 0 ? null : run.memory(span.buffer());
    }

    /** Its slot is free now. */
    void admit() {
        admitted = true;
        run.beginAgain();
    }

    void post(final int t) {
        windows[schedule.part[t]].post(run.isSpoiled());
        own[schedule.channel[t]].posted(number);
    }

    /** Awaits a post, or completes the task at once. */
    void await(final int t) {
        final State state = state(t);
        if (state == State.EARLY) {
            pending[pendings] = t;
            PENDING.setRelease(this, pendings + 1);
        } else {
            met(t, state);
        }
    }

    /** Whether an await that nobody watches can go on. For any thread; what it says is old when it has said it. */
    boolean isDue() {
        final int count = (int) PENDING.getAcquire(this);
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
        if (unattended || pendings == 0 || !Cores.maySpin()) {
            return false;
        }
        for (int i = 0; i < MOMENT && !channels[0].home().isWanted(); i++) {
            if (isDue()) {
                meet();
                return active;
            }
        }
        return false;
    }

    /** Goes on with what is due. */
    void look() {
        meet();
        if (active) {
            run.goOn();
        }
    }

    private void meet() {
        int kept = 0;
        final int count = pendings;
        for (int i = 0; i < count && active; i++) {
            final int t = pending[i];
            final State state = state(t);
            if (state == State.EARLY) {
                pending[kept++] = t;
            } else {
                met(t, state);
            }
        }
        if (active) {
            PENDING.setRelease(this, kept);
        }
    }

    /** When nothing is ready any more: sees to it that somebody carries on. */
    void settle() {
        if (unattended && pendings > 0) {
            final int count = pendings;
            PENDING.setRelease(this, 0);
            for (int i = 0; i < count; i++) {
                watch(pending[i]);
            }
        }
    }

    private void watch(final int t) {
        rows[t].register(number, waiting[t]);
        if (state(t) != State.EARLY || otherCall(t) != 0) {
            rows[t].wake(number);
        }
    }

    /** The call that the peer of an await is in, when it is another than this; else 0. */
    private long otherCall(final int t) {
        final long call = series == null && notes[t] != null ? notes[t].noted(number) : 0;
        return call == schedule.call ? 0 : call;
    }

    private void met(final int t, final State state) {
        switch (state) {
            case SPOILED -> run.spoil(run.hearsay(peer(t)));
            case OTHER_CALL -> {
                run.disagree(peer(t), rows[t].window(number).call());
                return;
            }
            case NEVER -> run.spoil(new MpiFailure(ErrorClass.INTERN, "post is awaited that rank " + peer(t) + " does not make on " + run.name()
                + ": post=" + schedule.ordinal[t]));
            default -> { }
        }
        run.done(t);
    }

    private int peer(final int t) {
        return run.peer(schedule.channel[t], schedule.peer[t]);
    }

    private State state(final int t) {
        final State seen = seen(t);
        if (seen == State.REACHED || seen == State.SPOILED || !rows[t].hasEnded(number)) {
            return seen;
        }
        // the peer's run serves something else by now, whose numbers say nothing of this call
        return series != null || seen == State.EARLY && otherCall(t) == 0 ? State.REACHED : seen;
    }

    private State seen(final int t) {
        final Row row = rows[t];
        final long wanted = Window.mark(number, schedule.ordinal[t] + 1);
        final Window first = row.window(number);
        if (first == null) {
            return State.EARLY;
        }
        final Window window = first.of(schedule.parts[schedule.part[t]].index());
        if (window == null) {
            return !Window.sameCall(first.mark(), wanted) ? State.EARLY : first.call() != schedule.call ? State.OTHER_CALL : State.NEVER;
        }
        final long mark = window.mark();
        if (!Window.sameCall(mark, wanted)) {
            // the run may serve a later call of another slot by now
            return mark - wanted > 0 && row.hasEnded(number) ? State.REACHED : State.EARLY;
        }
        if (window.call() != schedule.call) {
            return State.OTHER_CALL;
        }
        return mark - wanted >= 0 ? Window.isSpoiled(mark) ? State.SPOILED : State.REACHED
            : schedule.ordinal[t] >= window.part().posts() ? State.NEVER : State.EARLY;
    }

    void get(final int t) {
        final MemorySegment theirs = theirs(t);
        if (theirs != null) {
            MemorySegment.copy(theirs, offset, run.memory(schedule.into[t]), schedule.intoOffset[t], schedule.bytes[t]);
        }
    }

    void combine(final int t) {
        final MemorySegment theirs = theirs(t);
        if (theirs != null) {
            run.reduce(t, theirs, offset);
        }
    }

    /** Where what {@link #theirs} found begins. */
    private long offset;

    /** The memory of a peer that a task reads; null when there is nothing to read. */
    private MemorySegment theirs(final int t) {
        final long bytes = schedule.bytes[t];
        if (bytes == 0 || run.isSpoiled()) {
            return null;
        }
        final Window first = rows[t].window(number);
        final Window window = first == null ? null : first.of(schedule.parts[schedule.part[t]].index());
        final Buffer buffer = schedule.from[t];
        final long from = schedule.fromOffset[t];
        if (window == null || !Window.sameCall(window.mark(), Window.mark(number, 0))) {
            run.spoil(new MpiFailure(ErrorClass.INTERN, "rank " + peer(t) + " is not in the call that its memory is read in on " + run.name()));
            return null;
        }
        final Span place = window.part().place(buffer);
        final MemorySegment memory = window.memory(buffer);
        if (from + bytes > place.bytes()) {
            run.spoil(new MpiFailure(ErrorClass.INTERN, "memory of another rank out of range on " + run.name() + ": rank=" + peer(t) + ", span="
                + buffer.at(from, bytes) + ", bytes=" + place.bytes()));
            return null;
        }
        if (memory == null) {
            run.spoil(new MpiFailure(ErrorClass.INTERN, "rank " + peer(t) + " has left the call that its memory is read in on " + run.name()));
            return null;
        }
        offset = place.offset() + from;
        return memory;
    }

    /** Makes all posts, so that nobody waits for this run any more. */
    void abandon() {
        for (int p = 0; p < windows.length && active; p++) {
            if (windows[p] != null) {
                windows[p].abandon();
            }
        }
        for (int c = 0; c < own.length && active; c++) {
            if (own[c] != null) {
                own[c].posted(number);
            }
        }
    }

    /** The call has ended; somebody else may have its slot. */
    void end() {
        if (!active) {
            return;
        }
        active = false;
        PENDING.setRelease(this, 0);
        for (final Window w : windows) {
            if (w != null) {
                w.end();
            }
        }
        for (final Row row : own) {
            if (row != null) {
                row.end(number);
            }
        }
        if (series == null) {
            turns.leave(number);
        }
    }

    /** Leaves the persistent collective that it served, if it did. */
    void leave() {
        final Series left = series;
        if (left != null) {
            join(null);
            left.leave();
        }
    }

    /** An await as its peer's row holds it. Of a call that failed it comes back for nothing. */
    private final class Waiting extends Watch {
        private final int task;

        Waiting(final int task) {
            super(channels[0].home());
            this.task = task;
        }

        @Override
        protected void run(final Serial at) {
            if (!active) {
                return;
            }
            final State state = state(task);
            final long other = otherCall(task);
            if (state != State.EARLY) {
                met(task, state);
                run.goOn();
            } else if (other != 0) {
                run.disagree(peer(task), other);
            } else {
                watch(task);
            }
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.broke(why);
        }
    }

    /** Has the run look after its awaits; submitted or tried. */
    static final class Look extends Item {
        private final Run run;
        /** Whether it is in the inbox of the mailbox. */
        volatile boolean submitted;

        Look(final Run run) {
            this.run = run;
        }

        @Override
        protected void run(final Serial at) {
            if (submitted) {
                submitted = false;
            }
            run.look();
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.broke(why);
        }
    }
}
