package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.shm.ExposedBuffers;
import tutti.runtime.shm.PersistentSlots;
import tutti.runtime.shm.RankSlotTable;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.SegmentSlots;
import tutti.runtime.shm.ShmRegion;
import tutti.runtime.shm.SlotWatch;

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
    /** The regions of the communicator, and of those whose ranks share memory in nested collectives. */
    private final ShmRegion[] regions;
    /** The slots of the persistent collective that the execution serves; null while it serves numbered calls. */
    private @Nullable PersistentSlots persistentSlots;
    private long number;
    private boolean active;
    private boolean admitted;
    /** The next waiting call; owned by {@link SlotAllocator}. */
    @Nullable
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
        final IntStream read = IntStream.range(0, schedule.tasks).filter(t -> schedule.kind[t] > Schedule.POST).map(t -> schedule.channel[t]);
        this.regions = IntStream.concat(IntStream.range(0, channels.length).filter(c -> c == 0 || schedule.shared[c]), read).distinct()
            .mapToObj(c -> channels[c].region()).toArray(ShmRegion[]::new);
        join(null);
    }

    /** Sets the slots to those of a persistent collective, or with null to those of numbered calls. */
    void join(final @Nullable PersistentSlots newSlots) {
        persistentSlots = newSlots;
        for (int c = 0; c < channels.length; c++) {
            if (schedule.shared[c]) {
                exposed.exposeIn(c, slots(c, channels[c].rank()));
            }
        }
        for (int t = 0; t < schedule.tasks; t++) {
            if (schedule.kind[t] > Schedule.POST) {
                rankSlots[t] = slots(schedule.channel[t], schedule.peer[t]);
            } else if (schedule.kind[t] == Schedule.RESERVE) {
                final int segment = schedule.segment[t];
                exposed.setReaders(segment, Arrays.stream(schedule.readers[segment]).mapToObj(r -> slots(schedule.segments[segment].channel(), r))
                    .toArray(RankSlots[]::new));
            }
        }
    }

    private RankSlots slots(final int channel, final int rank) {
        final CollectiveChannel on = channels[channel];
        final RankSlotTable calls = on.region().calls();
        return (persistentSlots == null ? calls : persistentSlots.slotTable(on.context(), on.worldRank(0), on.peers(), calls)).slots(rank);
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

    /** Returns whether a task that reserves shared memory may do so. For any thread. */
    boolean mayReserve(final int t) {
        return exposed.mayReserve(t, number);
    }

    /** Has a watch woken when a task that reserves shared memory may be able to do so. */
    void watchReaders(final int t, final SlotWatch watch) {
        exposed.watchReaders(t, number, watch);
    }

    /** Returns whether all calls fail in the region of a task. For any thread. */
    boolean isClosed(final int t) {
        return region(t).closed() != null;
    }

    /** Returns why the peer of a task makes its post no more. */
    MpiFailure loss(final int t) {
        return Objects.requireNonNull(region(t).failure(), "reason of a rank that has left");
    }

    private ShmRegion region(final int t) {
        return channels[schedule.kind[t] == Schedule.RESERVE ? schedule.segments[schedule.segment[t]].channel() : schedule.channel[t]].region();
    }

    /** Tells the other ranks of the node that the call fails because of a lost rank, or of a revocation, before they see that. */
    void tell(final MpiFailure why) {
        for (final ShmRegion region : regions) {
            region.tell(why);
        }
    }

    /** Returns why the call fails at its end, though all tasks are done: what it has read may have been overwritten. Null if it does not. */
    @Nullable
    MpiFailure closed() {
        VarHandle.loadLoadFence();
        for (int r = 0; r < regions.length; r++) {
            final MpiFailure why = regions[r].closed();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    void reserve(final int t) {
        exposed.reserve(t, number);
    }

    /**
     * Fails the execution because a task's peer is in another call. Where the peer only gave another length than this rank knows, as in a gatherv,
     * the execution continues with invalid data. Returns whether the execution has ended.
     */
    boolean failMismatch(final int t, final long other) {
        final long expected = schedule.callOfPeer(t);
        final boolean isLength = CallSignature.hasOwnLengths(expected) && CallSignature.differInLength(expected, other);
        if (isLength) {
            execution.invalidate(new MpiFailure(CallSignature.differingLengths(expected, other, false),
                "message length differs from the plan: bytes=" + (CallSignature.bytes(other) - 1) + ", planned="
                    + (CallSignature.bytes(expected) - 1) + ", source=" + schedule.peer[t]));
        } else {
            execution.failMismatch(worldRank(t), expected, other);
        }
        return !isLength;
    }

    /** Returns the shared memory of this rank that a task uses. */
    MemorySegment ownMemory(final int t) {
        return exposed.sharedMemory(t);
    }

    void post(final int t) {
        exposed.post(t, number);
    }

    /** Returns the peer of a task as a rank of COMM_WORLD. */
    int worldRank(final int t) {
        return channels[schedule.channel[t]].worldRank(schedule.peer[t]);
    }

    /** Returns the peer of a task as a rank of the execution's communicator, which is an intracommunicator. */
    int peer(final int t) {
        return channels[0].rankOf(worldRank(t));
    }

    /** Returns the name of the peer of a task for messages. */
    String peerName(final int t) {
        return channels[0].nameOf(worldRank(t));
    }

    void get(final int t) {
        final MemorySegment memory = peerMemory(t);
        if (memory != null) {
            MemorySegment.copy(memory, peerOffset, execution.memory(schedule.into[t], t), schedule.intoOffset[t], schedule.bytes[t]);
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
    private @Nullable MemorySegment peerMemory(final int t) {
        final long bytes = schedule.bytes[t];
        if (bytes == 0 || execution.isInvalid()) {
            return null;
        }
        if (schedule.from[t] == Buffer.SHARED) {
            return peerSharedMemory(t);
        }
        final int segment = schedule.segments[schedule.segment[t]].index();
        final SegmentSlots progress = rankSlots[t].segment(segment);
        final ExposedBuffers first = rankSlots[t].buffers(number);
        final ExposedBuffers there = first == null ? null : first.sibling(segment);
        final Buffer buffer = schedule.from[t];
        final long from = schedule.fromOffset[t];
        final long begun = SegmentSlots.mark(number, 0);
        final long mark = progress == null ? begun - 1 : progress.mark(number);
        if (there == null || !SegmentSlots.sameCall(mark, begun)) {
            // a peer that is in a later call has not waited for this rank: it failed
            // Cause: a plan of shared memory is wrong; with class `MPI_ERR_COUNT`, ranks gave lengths that differ. Remedy: report it to the author of
            // the module; give the same lengths.
            execution.invalidate(mark - begun > 0 ? execution.remoteFailure(worldRank(t)) : new MpiFailure(ErrorClass.INTERN, peerName(t)
                + " is not in the call that reads its memory on " + execution.name()));
            return null;
        }
        final BufferRange range = there.segment().range(buffer);
        final MemorySegment memory = there.memory(buffer);
        if (from + bytes > range.bytes()) {
            // Cause: a plan of shared memory is wrong; with class `MPI_ERR_COUNT`, ranks gave lengths that differ. Remedy: report it to the author of
            // the module; give the same lengths.
            execution.invalidate(new MpiFailure(schedule.misfit(), "memory of another rank out of range on " + execution.name()
                + ": peer=" + peerName(t) + ", range=" + buffer.at(from, bytes) + ", bytes=" + range.bytes()));
            return null;
        }
        if (memory == null) {
            // Cause: a plan of shared memory is wrong; with class `MPI_ERR_COUNT`, ranks gave lengths that differ. Remedy: report it to the author of
            // the module; give the same lengths.
            execution.invalidate(new MpiFailure(schedule.misfit(), peerName(t) + " has left the call that reads its memory on "
                + execution.name()));
            return null;
        }
        peerOffset = range.offset() + from;
        return memory;
    }

    /** Returns the signature of the call that a task's peer began with this call's number; 0 when it is not known. */
    private long recordedCall(final int t) {
        return isPersistent() || channels[0].isInter() ? 0 : channels[0].region().calls().slots(peer(t)).recordedCall(number);
    }

    private @Nullable MemorySegment peerSharedMemory(final int t) {
        final SegmentSlots there = rankSlots[t].segment(schedule.segments[schedule.segment[t]].index());
        if (there == null || !there.isReserved(number)) {
            // the peer has left this call without reserving memory: it failed, or it was in another call
            final long other = recordedCall(t);
            if (other != 0 && other != schedule.call) {
                execution.failMismatch(worldRank(t), schedule.call, other);
            } else {
                execution.invalidate(execution.remoteFailure(worldRank(t)));
            }
            return null;
        }
        if (there.reservedCall(number) != schedule.callOfPeer(t)) {
            failMismatch(t, there.reservedCall(number));
            return null;
        }
        if (there.hasInvalidData(number)) {
            execution.invalidate(execution.remoteFailure(worldRank(t)));
            return null;
        }
        final long end = schedule.fromOffset[t] + schedule.bytes[t];
        if (end > there.sharedBytes(number)) {
            // Cause: a plan of shared memory is wrong; with class `MPI_ERR_COUNT`, ranks gave lengths that differ. Remedy: report it to the author of
            // the module; give the same lengths.
            execution.invalidate(new MpiFailure(schedule.misfit(), "shared memory of another rank out of range on " + execution.name()
                + ": peer=" + peerName(t) + ", end=" + end + ", bytes=" + there.sharedBytes(number)));
            return null;
        }
        peerOffset = schedule.fromOffset[t];
        return there.sharedMemory(number);
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
}
