package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.shm.PersistentSlots;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;

/**
 * The part of a run that shares memory with other ranks of the node: which call it serves, what it {@linkplain ExposedSegments shows} them, what it
 * {@linkplain PendingAwaits awaits} and what it reads of them. Like the run it belongs to the owner of the mailbox, but for {@link
 * PendingAwaits#isDue}, and
 * allocates when it is made and never again, but for a watch in the place of one that is still out.
 */
final class SharedMemoryTasks {
    private final ScheduleExecution run;
    private final Schedule schedule;
    private final CollectiveChannel[] channels;
    private final SlotAllocator turns;
    private final ExposedSegments showing;
    private final PendingAwaits awaits;
    /** Of each task that awaits or reads, the row of its peer. */
    private final RankSlots[] rows;
    private PersistentSlots series;
    private long number;
    private boolean active;
    private boolean admitted;
    /** Of {@link SlotAllocator}. */
    SharedMemoryTasks following;

    SharedMemoryTasks(final ScheduleExecution run, final Schedule schedule, final CollectiveChannel[] channels, final SlotAllocator turns) {
        this.run = run;
        this.schedule = schedule;
        this.channels = channels;
        this.turns = turns;
        this.rows = new RankSlots[schedule.tasks];
        this.showing = new ExposedSegments(run, schedule);
        this.awaits = new PendingAwaits(run, this, schedule, channels[0], rows);
        channels[0].board().use();
        join(null);
    }

    /** From now on it serves the starts of a persistent collective, or any call with null. */
    void join(final PersistentSlots of) {
        series = of;
        for (int c = 0; c < channels.length; c++) {
            if (schedule.shared[c]) {
                showing.in(c, row(c, channels[c].rank()));
            }
        }
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] > Schedule.POST) {
                rows[t] = row(schedule.channel[t], schedule.peer[t]);
            }
        }
    }

    private RankSlots row(final int channel, final int rank) {
        final CollectiveChannel on = channels[channel];
        return (series == null ? on.board().calls() : series.lane(on.context(), on.peers())).row(rank);
    }

    /** Whether it serves a persistent collective. */
    boolean isPersistent() {
        return series != null;
    }

    long number() {
        return number;
    }

    /** Whether a call has begun and not ended. */
    boolean isActive() {
        return active;
    }

    /** Its awaits. */
    PendingAwaits awaits() {
        return awaits;
    }

    /** Begins a call and shows its windows. Returns whether it may go on; else its run is begun again later. */
    boolean begin(final long call) {
        number = call;
        if (series == null && !admitted && !turns.enter(this)) {
            return false;
        }
        admitted = false;
        active = true;
        showing.begin(number);
        return true;
    }

    /** Its slot is free now. */
    void admit() {
        admitted = true;
        run.beginAgain();
    }

    void post(final int t) {
        showing.post(t, number);
    }

    /** The peer of a task, as the ranks of the communicator that the run is on go. */
    int peer(final int t) {
        return run.peer(schedule.channel[t], schedule.peer[t]);
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
        final ShmSlot first = rows[t].window(number);
        final ShmSlot window = first == null ? null : first.of(schedule.parts[schedule.part[t]].index());
        final Buffer buffer = schedule.from[t];
        final long from = schedule.fromOffset[t];
        if (window == null || !ShmSlot.sameCall(window.mark(), ShmSlot.mark(number, 0))) {
            run.spoil(new MpiFailure(ErrorClass.INTERN, "rank " + peer(t) + " is not in the call that its memory is read in on " + run.name()));
            return null;
        }
        final BufferRange place = window.part().place(buffer);
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
        if (active) {
            showing.abandon(number);
        }
    }

    /** The call has ended; somebody else may have its slot. */
    void end() {
        if (!active) {
            return;
        }
        active = false;
        awaits.forget();
        showing.end(number);
        if (series == null) {
            turns.leave(number);
        }
    }

    /** Leaves the persistent collective that it served, if it did. */
    void leave() {
        final PersistentSlots left = series;
        if (left != null) {
            join(null);
            left.leave();
        }
    }
}
