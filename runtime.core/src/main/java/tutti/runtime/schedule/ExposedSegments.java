package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.runtime.shm.ExposedBuffers;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.SegmentSlots;
import tutti.runtime.shm.SharedReservation;
import tutti.runtime.shm.SlotWatch;

/** What the segments of an execution that share memory expose to the other ranks of the node: their progress, their buffers, and shared memory. */
final class ExposedSegments {
    private final ScheduleExecution execution;
    private final Schedule schedule;
    /** The buffers of each segment that shares memory; else null. */
    private final @Nullable ExposedBuffers[] buffers;
    /** The slots of each segment that shares memory. */
    private final SegmentSlots[] segmentSlots;
    /** What each segment that reserves shared memory reserves of it. */
    private final SharedReservation[] reservations;
    /** The shared memory that each segment has reserved. */
    private final MemorySegment[] sharedMemory;
    /** The buffers of the first segment on each communicator on which memory is shared; else null. */
    private final @Nullable ExposedBuffers[] firstBuffers;
    /** The slots of the local rank on each communicator on which memory is shared; else null. */
    private final @Nullable RankSlots[] rankSlots;
    /** Per communicator: whether shared memory of peers is read on it. */
    private final boolean[] readsShared;

    ExposedSegments(final ScheduleExecution execution, final Schedule schedule) {
        this.execution = execution;
        this.schedule = schedule;
        this.buffers = new ExposedBuffers[schedule.segments.length];
        this.segmentSlots = new SegmentSlots[schedule.segments.length];
        this.reservations = new SharedReservation[schedule.segments.length];
        this.sharedMemory = new MemorySegment[schedule.segments.length];
        this.firstBuffers = new ExposedBuffers[schedule.shared.length];
        this.rankSlots = new RankSlots[schedule.shared.length];
        this.readsShared = new boolean[schedule.shared.length];
        for (int c = 0; c < firstBuffers.length; c++) {
            if (schedule.shared[c]) {
                createBuffers(c);
                readsShared[c] = schedule.readsShared(c);
            }
        }
    }

    private void createBuffers(final int channel) {
        final ExposedBuffers[] all = new ExposedBuffers[segments(channel)];
        for (int p = 0, i = 0; p < schedule.segments.length; p++) {
            if (schedule.segments[p].channel() == channel) {
                final ExposedBuffers created = new ExposedBuffers(schedule.segments[p], all);
                buffers[p] = created;
                all[i++] = created;
            }
        }
        firstBuffers[channel] = all[0];
    }

    private int segments(final int channel) {
        return (int) Arrays.stream(schedule.segments).filter(p -> p.channel() == channel).count();
    }

    /** Sets the slots of the local rank in which the segments on a communicator are exposed. */
    void exposeIn(final int channel, final RankSlots slots) {
        rankSlots[channel] = slots;
        slots.addSegments(segments(channel));
        for (int p = 0; p < schedule.segments.length; p++) {
            if (schedule.segments[p].channel() == channel) {
                segmentSlots[p] = Objects.requireNonNull(slots.segment(schedule.segments[p].index()), "segment that was added");
            }
        }
    }

    /** Sets the slots of the ranks that read the shared memory of a segment. */
    void setReaders(final int segment, final RankSlots... readers) {
        reservations[segment] = new SharedReservation(schedule.sharedCall, schedule.segments[segment].shared().bytes(), schedule.firstReduction(),
            readers);
    }

    void begin(final long number) {
        for (int c = 0; c < firstBuffers.length; c++) {
            final ExposedBuffers first = firstBuffers[c];
            if (first != null) {
                slots(c).expose(number, first);
            }
        }
        // the first segment last: once it has begun, a segment that has not is not part of the call
        for (int p = buffers.length - 1; p >= 0; p--) {
            if (buffers[p] != null) {
                final PlanSegment segment = schedule.segments[p];
                buffers[p].begin(memory(segment.send()), memory(segment.recv()), memory(segment.scratch()));
                if (schedule.failure == null) {
                    segmentSlots[p].begin(number, schedule.sharedCall, segment.posts());
                } else {
                    // at once, so that no rank finds fewer posts than it awaits
                    segmentSlots[p].beginInvalid(number, schedule.sharedCall, segment.posts());
                }
            }
        }
    }

    private @Nullable MemorySegment memory(final BufferRange range) {
        return range.bytes() == 0 ? null : execution.memory(range.buffer());
    }

    /** Returns whether a task that reserves shared memory may do so. For any thread. */
    boolean mayReserve(final int t, final long number) {
        return segmentSlots[schedule.segment[t]].isFree(number);
    }

    /** Has a watch woken when a task that reserves shared memory may be able to do so. */
    void watchReaders(final int t, final long number, final SlotWatch watch) {
        segmentSlots[schedule.segment[t]].watchReaders(number, watch);
    }

    /** Carries out a task that reserves shared memory. */
    void reserve(final int t, final long number) {
        final int segment = schedule.segment[t];
        sharedMemory[segment] = segmentSlots[segment].reserve(number, reservations[segment]);
    }

    /** Returns the shared memory that a task of this rank uses. */
    MemorySegment sharedMemory(final int t) {
        return sharedMemory[schedule.segment[t]];
    }

    /** Carries out a post task. */
    void post(final int t, final long number) {
        segmentSlots[schedule.segment[t]].post(number, execution.isInvalid());
        slots(schedule.channel[t]).notifyPosted(number);
    }

    private RankSlots slots(final int channel) {
        final RankSlots slots = rankSlots[channel];
        if (slots == null) {
            throw new IllegalStateException("no memory is shared on the communicator: channel=" + channel);
        }
        return slots;
    }

    /** Makes all posts, with data marked as invalid. */
    void abandon(final long number) {
        for (int p = 0; p < buffers.length; p++) {
            if (buffers[p] != null) {
                segmentSlots[p].abandon(number);
            }
        }
        for (final RankSlots slots : rankSlots) {
            if (slots != null) {
                slots.notifyPosted(number);
            }
        }
    }

    void end(final long number) {
        for (final ExposedBuffers b : buffers) {
            if (b != null) {
                b.end();
            }
        }
        for (int c = 0; c < rankSlots.length; c++) {
            final RankSlots slots = rankSlots[c];
            if (slots != null) {
                slots.end(number);
                // the plan that was refused might have read
                if (readsShared[c] || schedule.failure != null) {
                    slots.notifyPosted(number);
                }
            }
        }
    }
}
