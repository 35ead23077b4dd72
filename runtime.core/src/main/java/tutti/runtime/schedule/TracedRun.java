package tutti.runtime.schedule;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.reading.PlannedTask;
import tutti.runtime.request.Life;

/** A run that tells a recorder when each of its tasks ran; fences, which do nothing, are not told. */
public final class TracedRun extends Run {
    private final Recorder recorder;
    private final long[] begun;
    private long sequence;
    private long since;

    /** Makes a run ready. */
    public TracedRun(final Schedule schedule, final Channel channel, final Turns turns, final Life life, final Recorder recorder) {
        super(schedule, channel, turns, life);
        this.recorder = recorder;
        this.begun = new long[schedule.tasks];
    }

    @Override
    void began(final long number) {
        sequence = number;
        since = recorder.now();
    }

    @Override
    void begins(final int t) {
        begun[t] = recorder.now();
    }

    @Override
    void done(final int t) {
        final Schedule s = schedule();
        final PlannedTask.Kind kind = Description.kind(s.kind[t]);
        if (kind != PlannedTask.Kind.FENCE) {
            final Channel on = channelOf(t);
            recorder.add(s.label, kind, t, s.hasPeer(t) ? on.worldRank(s.peer[t]) : -1, s.bytes[t], on.context(), tag(s.ordinal[t]), begun[t],
                recorder.now());
        }
        super.done(t);
    }

    @Override
    void over(final MpiFailure why) {
        recorder.add(schedule().label, null, -1, -1, schedule().label.bytes(), channelOf(-1).context(), tag(0), since, recorder.now());
    }

    private long tag(final int ordinal) {
        return (sequence << Integer.SIZE) + ordinal;
    }
}
