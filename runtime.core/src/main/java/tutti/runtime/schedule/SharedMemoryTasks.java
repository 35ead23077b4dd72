package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.shm.PersistentSlots;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;

/**
 * The tasks of an execution that share memory with other ranks of the node: which call they serve, what they {@linkplain ExposedSegments
 * expose}, what they {@linkplain PendingAwaits await} and what they read.
 *
 * <p>They belong to the owner of the mailbox, except {@link PendingAwaits#isDue}. They allocate when they are created, and later only to replace
 * a watch that is still registered.
 */
final class SharedMemoryTasks {
    private final ScheduleExecution execution;
    private final Schedule schedule;
    private final CollectiveChannel[] channels;
    private final SlotAllocator allocator;
    private final ExposedSegments exposed;
    private final PendingAwaits awaits;
    /** The slots of the peer of each task that awaits or reads. */
    private final RankSlots[] rankSlots;
    private PersistentSlots persistentSlots;
    private long number;
    private boolean active;
    private boolean admitted;
    /** The next waiting call; owned by {@link SlotAllocator}. */
    SharedMemoryTasks nextWaiting;

    SharedMemoryTasks(final ScheduleExecution execution, final Schedule schedule, final CollectiveChannel[] channels, final SlotAllocator allocator) {
        this.execution = execution;
        this.schedule = schedule;
        this.channels = channels;
        this.allocator = allocator;
        this.rankSlots = new RankSlots[schedule.tasks];
        this.exposed = new ExposedSegments(execution, schedule);
        this.awaits = new PendingAwaits(execution, this, schedule, channels[0], rankSlots);
        channels[0].region().use();
        join(null);
    }

    /** Sets the slots to those of a persistent collective, or with null to those of numbered calls. */
    void join(final PersistentSlots newSlots) {
        persistentSlots = newSlots;
        for (int c = 0; c < channels.length; c++) {
            if (schedule.shared[c]) {
                exposed.exposeIn(c, slots(c, channels[c].rank()));
            }
        }
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] > Schedule.POST) {
                rankSlots[t] = slots(schedule.channel[t], schedule.peer[t]);
            }
        }
    }

    private RankSlots slots(final int channel, final int rank) {
        final CollectiveChannel on = channels[channel];
        return (persistentSlots == null ? on.region().calls() : persistentSlots.slotTable(on.context(), on.peers())).slots(rank);
    }

    /** Returns whether the execution serves a persistent collective. */
    boolean isPersistent() {
        return persistentSlots != null;
    }

    long number() {
        return number;
    }

    /** Returns whether a call is in progress. */
    boolean isActive() {
        return active;
    }

    /** Returns the awaits. */
    PendingAwaits awaits() {
        return awaits;
    }

    /** Begins a call and exposes its segments. Returns false if its slot is taken; the execution is then begun again later. */
    boolean begin(final long call) {
        number = call;
        if (persistentSlots == null && !admitted && !allocator.enter(this)) {
            return false;
        }
        admitted = false;
        active = true;
        exposed.begin(number);
        return true;
    }

    /** Admits the call, whose slot is free now. */
    void admit() {
        admitted = true;
        execution.resubmit();
    }

    void post(final int t) {
        exposed.post(t, number);
    }

    /** Returns the peer of a task as a rank of the execution's communicator. */
    int peer(final int t) {
        return execution.peer(schedule.channel[t], schedule.peer[t]);
    }

    void get(final int t) {
        final MemorySegment memory = peerMemory(t);
        if (memory != null) {
            MemorySegment.copy(memory, peerOffset, execution.memory(schedule.into[t]), schedule.intoOffset[t], schedule.bytes[t]);
        }
    }

    void combine(final int t) {
        final MemorySegment memory = peerMemory(t);
        if (memory != null) {
            execution.reduce(t, memory, peerOffset);
        }
    }

    /** Offset of the data in the memory that {@link #peerMemory} returned. */
    private long peerOffset;

    /** Returns the memory of a peer that a task reads; null when there is nothing to read. */
    private MemorySegment peerMemory(final int t) {
        final long bytes = schedule.bytes[t];
        if (bytes == 0 || execution.isInvalid()) {
            return null;
        }
        final ShmSlot first = rankSlots[t].slot(number);
        final ShmSlot slot = first == null ? null : first.sibling(schedule.segments[schedule.segment[t]].index());
        final Buffer buffer = schedule.from[t];
        final long from = schedule.fromOffset[t];
        if (slot == null || !ShmSlot.sameCall(slot.mark(), ShmSlot.mark(number, 0))) {
            execution.invalidate(new MpiFailure(ErrorClass.INTERN, "rank " + peer(t) + " is not in the call that reads its memory on "
                + execution.name()));
            return null;
        }
        final BufferRange range = slot.segment().range(buffer);
        final MemorySegment memory = slot.memory(buffer);
        if (from + bytes > range.bytes()) {
            execution.invalidate(new MpiFailure(ErrorClass.INTERN, "memory of another rank out of range on " + execution.name()
                + ": rank=" + peer(t) + ", range=" + buffer.at(from, bytes) + ", bytes=" + range.bytes()));
            return null;
        }
        if (memory == null) {
            execution.invalidate(new MpiFailure(ErrorClass.INTERN, "rank " + peer(t) + " has left the call that reads its memory on "
                + execution.name()));
            return null;
        }
        peerOffset = range.offset() + from;
        return memory;
    }

    /** Makes all posts, so that no rank waits for this execution any more. */
    void abandon() {
        if (active) {
            exposed.abandon(number);
        }
    }

    /** Ends the call and frees its slot. */
    void end() {
        if (!active) {
            return;
        }
        active = false;
        awaits.clear();
        exposed.end(number);
        if (persistentSlots == null) {
            allocator.leave(number);
        }
    }

    /** Leaves the persistent collective, if it serves one. */
    void leave() {
        final PersistentSlots left = persistentSlots;
        if (left != null) {
            join(null);
            left.leave();
        }
    }
}
