package tutti.runtime.comm;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Deferred release of a freed communicator: waits for pending operations, releases modules, drops unexpected messages, then notifies the leader.
 * When all ranks have notified the leader, it may allot the context id again.
 *
 * <p>The release proceeds without a waiting thread; as a request it is complete when no operation is pending on this rank. A collective that
 * failed is not pending; the messages that it left are dropped like any unexpected message.
 */
final class DeferredCommFree extends Request implements ScheduleExecution.CompletionListener {
    private final Communicator comm;

    private DeferredCommFree(final Communicator comm) {
        super(comm.owner().lifecycle());
        this.comm = comm;
    }

    /** Starts the release when the collectives of a communicator are complete. */
    static DeferredCommFree start(final Communicator comm) {
        final DeferredCommFree free = new DeferredCommFree(comm);
        comm.engine().pending().close(free::collectivesDone);
        return free;
    }

    private void collectivesDone() {
        comm.collTable().release();
        comm.locality().leaveRegion();
        comm.collTable().subs().forEach(sub -> start(sub.comm()));
        comm.owner().forget(comm);
        comm.owner().mailbox().submit(new ContextPurge(comm.context(), comm.context() + ContextIds.FREED, this::purged));
    }

    private void purged() {
        comm.bootstrap(ContextIds.FREED).arrive(0, this);
        finish(null);
    }

    @Override
    public MpiFailure finished(final ScheduleExecution execution, final MpiFailure failure) {
        if (failure == null && comm.members().index() == 0) {
            comm.owner().contexts().free(comm.context());
        }
        return failure;
    }

    @Override
    public void afterCompletion(final ScheduleExecution execution, final MpiFailure failure) {
        // the execution is not used again
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
