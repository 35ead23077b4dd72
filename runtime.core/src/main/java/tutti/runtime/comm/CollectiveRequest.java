package tutti.runtime.comm;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.AwaitPoller;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;

/** A collective that is under way without anybody waiting; lets go of its run as soon as that is complete. */
final class CollectiveRequest extends Request implements ScheduleExecution.CompletionListener {
    private final MessageBuffer recv;
    private final ScheduleCache cache;
    private AwaitPoller tending;

    CollectiveRequest(final RankLifecycle life, final ScheduleExecution run, final MessageBuffer recv, final ScheduleCache cache) {
        super(life);
        this.recv = recv;
        this.cache = cache;
        this.tending = run.tending(this);
    }

    @Override
    public MpiFailure finished(final ScheduleExecution run, final MpiFailure failure) {
        if (recv != null && failure == null) {
            recv.store();
        }
        return failure;
    }

    @Override
    public void afterwards(final ScheduleExecution run, final MpiFailure failure) {
        tending = null;
        cache.give(run);
        finish(failure);
    }

    @Override
    protected void poll() {
        final AwaitPoller t = tending;
        if (t != null) {
            t.poll();
        }
    }

    @Override
    protected void parking() {
        final AwaitPoller t = tending;
        if (t != null) {
            t.stop();
        }
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
