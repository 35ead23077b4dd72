package tutti.runtime.schedule;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import tutti.coll.plan.Assignment;
import tutti.intercept.NestedCollective;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;

/**
 * An execution that records when each of its tasks ran, except fences, which do nothing.
 *
 * <p><b>Threads.</b> Belongs to the owner of the mailbox, as every execution. A thread that asks for the trace reads the start times with acquire
 * while they are stored with release. The recorder's lock publishes the number and the time of the call.
 */
public final class TracedExecution extends ScheduleExecution {
    private final TraceRecorder recorder;
    private final TracedCall call;
    private final List<NestedCollective> nested;
    /** Start times of the tasks in progress, else 0; atomic, since a trace may be requested while the execution is in progress. */
    private final AtomicLongArray begun;
    private long sequence;
    private long since;

    /** Creates an execution of a schedule that has a {@linkplain PlanBuilder#setLabel label}. */
    public TracedExecution(final Schedule schedule, final CollectiveChannel channel, final @Nullable SlotAllocator allocator,
        final RankLifecycle lifecycle,
        final TraceRecorder recorder) {
        super(schedule, channel, allocator, lifecycle);
        this.recorder = recorder;
        this.call = Objects.requireNonNull(schedule.label, "label of a traced schedule");
        this.nested = call.parts().stream().map(p -> new NestedCollective(call.operation(), p.operation(), p.communicator(), p.bytes(), p.module(),
            p.algorithm())).toList();
        this.begun = new AtomicLongArray(schedule.tasks);
    }

    /** Returns the call that it executes. */
    TracedCall call() {
        return call;
    }

    /** Returns the collectives nested in it. */
    List<NestedCollective> nested() {
        return nested;
    }

    @Override
    void onBegin(final long number) {
        sequence = number;
        since = recorder.now();
        recorder.opened(this);
    }

    @Override
    void onTaskBegin(final int t) {
        begun.setRelease(t, recorder.now());
    }

    @Override
    void done(final int t) {
        if (isRecorded(t)) {
            recorder.add(call, task(t, begun.get(t), recorder.now(), true));
        }
        begun.setRelease(t, 0);
        super.done(t);
    }

    @Override
    void onEnd(final @Nullable MpiFailure why) {
        final long now = recorder.now();
        for (int t = 0; t < begun.length(); t++) {
            final long start = begun.getAndSet(t, 0);
            // only a failed execution leaves tasks
            if (start != 0 && isRecorded(t)) {
                recorder.add(call, task(t, start, now, false));
            }
        }
        recorder.closed(this, call(now, true));
    }

    /** Adds the events in progress to a list: the call, and the tasks that have started. */
    void addOpen(final List<TraceEvent> open, final long now) {
        open.add(call(now, false));
        for (int t = 0; t < begun.length(); t++) {
            final long start = begun.getAcquire(t);
            if (start != 0 && isRecorded(t)) {
                open.add(task(t, start, now, false));
            }
        }
    }

    private boolean isRecorded(final int t) {
        return ScheduleDescription.kind(schedule().kind[t]) != PlannedTask.Kind.FENCE;
    }

    private TraceEvent task(final int t, final long begin, final long end, final boolean ended) {
        final Schedule s = schedule();
        final CollectiveChannel on = channelOf(t);
        final Assignment assignment = s.assignment(t);
        return new TraceEvent(0, ScheduleDescription.kind(s.kind[t]), t, s.hasPeer(t) ? on.worldRank(s.peer[t]) : -1, s.bytes[t], (int) on.context(),
            tag(s.ordinal[t]), assignment == null ? null : assignment.description(), begin, end, ended);
    }

    private TraceEvent call(final long end, final boolean ended) {
        return new TraceEvent(0, null, -1, -1, call.bytes(), (int) channelOf(-1).context(), tag(0), null, since, end, ended);
    }

    private long tag(final int ordinal) {
        return (sequence << Integer.SIZE) + ordinal;
    }
}
