package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tutti.coll.BufferRange;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;

/** The shared-memory slots of an execution: one for each segment of its schedule that shares memory. */
final class ExposedSegments {
    private final ScheduleExecution run;
    private final Schedule schedule;
    /** The slot of each segment that shares memory; else null. */
    private final ShmSlot[] windows;
    /** The slot of the first segment on each communicator on which memory is shared; else null. */
    private final ShmSlot[] firsts;
    /** The slots of the local rank on each communicator on which memory is shared; else null. */
    private final RankSlots[] rows;

    ExposedSegments(final ScheduleExecution execution, final Schedule schedule) {
        this.run = execution;
        this.schedule = schedule;
        this.windows = new ShmSlot[schedule.parts.length];
        this.firsts = new ShmSlot[schedule.shared.length];
        this.rows = new RankSlots[schedule.shared.length];
        for (int c = 0; c < firsts.length; c++) {
            if (schedule.shared[c]) {
                makeWindows(c);
            }
        }
    }

    private void makeWindows(final int channel) {
        final PlanSegment[] segments = Arrays.stream(schedule.parts).filter(p -> p.channel() == channel).toArray(PlanSegment[]::new);
        final ShmSlot[] all = new ShmSlot[segments.length];
        for (int p = 0, i = 0; p < schedule.parts.length; p++) {
            if (schedule.parts[p].channel() == channel) {
                windows[p] = new ShmSlot(schedule.parts[p], schedule.call, all);
                all[i++] = windows[p];
            }
        }
        firsts[channel] = all[0];
    }

    /** Sets the slots of the local rank in which the segments on a communicator are exposed. */
    void in(final int channel, final RankSlots slots) {
        rows[channel] = slots;
    }

    void begin(final long number) {
        for (final ShmSlot slot : windows) {
            if (slot != null) {
                final PlanSegment segment = slot.part();
                slot.begin(number, memory(segment.send()), memory(segment.recv()), memory(segment.scratch()));
            }
        }
        for (int c = 0; c < firsts.length; c++) {
            if (firsts[c] != null) {
                rows[c].show(number, firsts[c]);
            }
        }
    }

    private MemorySegment memory(final BufferRange range) {
        return range.bytes() == 0 ? null : run.memory(range.buffer());
    }

    /** Carries out a post task. */
    void post(final int t, final long number) {
        windows[schedule.part[t]].post(run.isSpoiled());
        rows[schedule.channel[t]].posted(number);
    }

    /** Makes all posts, with data marked as invalid. */
    void abandon(final long number) {
        for (final ShmSlot slot : windows) {
            if (slot != null) {
                slot.abandon();
            }
        }
        for (final RankSlots slots : rows) {
            if (slots != null) {
                slots.posted(number);
            }
        }
    }

    void end(final long number) {
        for (final ShmSlot slot : windows) {
            if (slot != null) {
                slot.end();
            }
        }
        for (final RankSlots slots : rows) {
            if (slots != null) {
                slots.end(number);
            }
        }
    }
}
