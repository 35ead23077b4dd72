package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tutti.coll.BufferRange;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;

/** The shared-memory slots of an execution: one for each segment of its schedule that shares memory. */
final class ExposedSegments {
    private final ScheduleExecution execution;
    private final Schedule schedule;
    /** The slot of each segment that shares memory; else null. */
    private final ShmSlot[] segmentSlots;
    /** The slot of the first segment on each communicator on which memory is shared; else null. */
    private final ShmSlot[] firstSlots;
    /** The slots of the local rank on each communicator on which memory is shared; else null. */
    private final RankSlots[] rankSlots;

    ExposedSegments(final ScheduleExecution execution, final Schedule schedule) {
        this.execution = execution;
        this.schedule = schedule;
        this.segmentSlots = new ShmSlot[schedule.segments.length];
        this.firstSlots = new ShmSlot[schedule.shared.length];
        this.rankSlots = new RankSlots[schedule.shared.length];
        for (int c = 0; c < firstSlots.length; c++) {
            if (schedule.shared[c]) {
                createSlots(c);
            }
        }
    }

    private void createSlots(final int channel) {
        final PlanSegment[] segments = Arrays.stream(schedule.segments).filter(p -> p.channel() == channel).toArray(PlanSegment[]::new);
        final ShmSlot[] all = new ShmSlot[segments.length];
        for (int p = 0, i = 0; p < schedule.segments.length; p++) {
            if (schedule.segments[p].channel() == channel) {
                segmentSlots[p] = new ShmSlot(schedule.segments[p], schedule.call, all);
                all[i++] = segmentSlots[p];
            }
        }
        firstSlots[channel] = all[0];
    }

    /** Sets the slots of the local rank in which the segments on a communicator are exposed. */
    void exposeIn(final int channel, final RankSlots slots) {
        rankSlots[channel] = slots;
    }

    void begin(final long number) {
        for (final ShmSlot slot : segmentSlots) {
            if (slot != null) {
                final PlanSegment segment = slot.segment();
                slot.begin(number, memory(segment.send()), memory(segment.recv()), memory(segment.scratch()));
            }
        }
        for (int c = 0; c < firstSlots.length; c++) {
            if (firstSlots[c] != null) {
                rankSlots[c].expose(number, firstSlots[c]);
            }
        }
    }

    private MemorySegment memory(final BufferRange range) {
        return range.bytes() == 0 ? null : execution.memory(range.buffer());
    }

    /** Carries out a post task. */
    void post(final int t, final long number) {
        segmentSlots[schedule.segment[t]].post(execution.isInvalid());
        rankSlots[schedule.channel[t]].notifyPosted(number);
    }

    /** Makes all posts, with data marked as invalid. */
    void abandon(final long number) {
        for (final ShmSlot slot : segmentSlots) {
            if (slot != null) {
                slot.abandon();
            }
        }
        for (final RankSlots slots : rankSlots) {
            if (slots != null) {
                slots.notifyPosted(number);
            }
        }
    }

    void end(final long number) {
        for (final ShmSlot slot : segmentSlots) {
            if (slot != null) {
                slot.end();
            }
        }
        for (final RankSlots slots : rankSlots) {
            if (slots != null) {
                slots.end(number);
            }
        }
    }
}
