package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import tutti.coll.BufferRange;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmSlot;

/** What a run shows the other ranks of its node: a window for each part of its schedule that shares memory. */
final class ExposedSegments {
    private final ScheduleExecution run;
    private final Schedule schedule;
    /** Of each part that shares memory; else null. */
    private final ShmSlot[] windows;
    /** Of each communicator that memory is shared on, the window of the first part. */
    private final ShmSlot[] firsts;
    /** Of each communicator that memory is shared on, where its windows are shown. */
    private final RankSlots[] rows;

    ExposedSegments(final ScheduleExecution run, final Schedule schedule) {
        this.run = run;
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
        final PlanSegment[] parts = Arrays.stream(schedule.parts).filter(p -> p.channel() == channel).toArray(PlanSegment[]::new);
        final ShmSlot[] all = new ShmSlot[parts.length];
        for (int p = 0, i = 0; p < schedule.parts.length; p++) {
            if (schedule.parts[p].channel() == channel) {
                windows[p] = new ShmSlot(schedule.parts[p], schedule.call, all);
                all[i++] = windows[p];
            }
        }
        firsts[channel] = all[0];
    }

    /** From now on it is shown in that row of a communicator that memory is shared on. */
    void in(final int channel, final RankSlots row) {
        rows[channel] = row;
    }

    void begin(final long number) {
        for (final ShmSlot w : windows) {
            if (w != null) {
                final PlanSegment part = w.part();
                w.begin(number, memory(part.send()), memory(part.recv()), memory(part.scratch()));
            }
        }
        for (int c = 0; c < firsts.length; c++) {
            if (firsts[c] != null) {
                rows[c].show(number, firsts[c]);
            }
        }
    }

    private MemorySegment memory(final BufferRange span) {
        return span.bytes() == 0 ? null : run.memory(span.buffer());
    }

    /** Makes the post that a task is. */
    void post(final int t, final long number) {
        windows[schedule.part[t]].post(run.isSpoiled());
        rows[schedule.channel[t]].posted(number);
    }

    /** Makes all posts. */
    void abandon(final long number) {
        for (final ShmSlot w : windows) {
            if (w != null) {
                w.abandon();
            }
        }
        for (final RankSlots row : rows) {
            if (row != null) {
                row.posted(number);
            }
        }
    }

    void end(final long number) {
        for (final ShmSlot w : windows) {
            if (w != null) {
                w.end();
            }
        }
        for (final RankSlots row : rows) {
            if (row != null) {
                row.end(number);
            }
        }
    }
}
