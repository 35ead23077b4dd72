package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.AwaitPoller;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.ScheduleExecution;

/** A nonblocking collective. Releases its execution as soon as that is complete. */
final class CollectiveRequest extends Request implements ScheduleExecution.CompletionListener {
    private final @Nullable MessageBuffer recv;
    private final ScheduleCache cache;
    private final CommContext comm;
    private final PendingOperations pending;
    private final long number;
    /** The call, where a trial compares it later; else null. */
    private final @Nullable KeptCall<?> kept;
    private @Nullable AwaitPoller poller;
    private @Nullable ScheduleExecution execution;

    /** Creates the request of a call; its number is the same on all ranks. */
    CollectiveRequest(final CommContext comm, final ScheduleExecution execution, final @Nullable MessageBuffer recv, final ScheduleCache cache,
        final long number, final @Nullable KeptCall<?> kept) {
        super(comm.owner().lifecycle());
        this.recv = recv;
        this.cache = cache;
        this.comm = comm;
        this.pending = comm.pendingCollectives();
        this.number = number;
        this.kept = kept;
        pending.hold();
        this.poller = execution.newPoller(this);
        this.execution = execution;
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        if (recv != null && failure == null) {
            recv.store();
        }
        if (kept != null) {
            kept.ended(recv == null ? null : recv.memory(), failure);
        }
        return failure;
    }

    @Override
    public void afterCompletion(final ScheduleExecution complete, final @Nullable MpiFailure failure) {
        poller = null;
        execution = null;
        cache.release(complete);
        finish(failure);
        pending.release();
    }

    @Override
    protected void poll() {
        final AwaitPoller t = poller;
        if (t != null) {
            t.poll();
        }
    }

    @Override
    protected void pollShared() {
        final AwaitPoller t = poller;
        if (t != null) {
            t.pollShared();
        }
    }

    @Override
    protected void parking() {
        final AwaitPoller t = poller;
        if (t != null) {
            t.stop();
        }
    }

    @Override
    protected @Nullable MpiFailure ownFailure() {
        final ScheduleExecution running = execution;
        return running == null ? null : running.ownFailure();
    }

    @Override
    public Pending pendingOperation() {
        return Pending.ofAll(PendingWait.Kind.COLLECTIVE, comm.id(), number);
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
