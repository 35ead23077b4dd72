package tutti.runtime.comm;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * What comes after a communicator was freed on a rank: what is under way goes on to its end, modules are let go of, messages that nobody
 * received are dropped, and the leader is told. When all ranks have told it, the leader may allot the context again.
 *
 * <p>It goes on by itself; as a request it is complete when nothing is under way on this rank any more. A collective that failed is not
 * under way; what it left behind is dropped like any message that nobody received.
 */
final class DeferredCommFree extends Request implements ScheduleExecution.CompletionListener {
    private final Communicator comm;

    private DeferredCommFree(final Communicator comm) {
        super(comm.owner().life());
        this.comm = comm;
    }

    /** Begins, when the collectives of a communicator are complete. */
    static DeferredCommFree to(final Communicator comm) {
        final DeferredCommFree farewell = new DeferredCommFree(comm);
        comm.engine().usage().close(farewell::idle);
        return farewell;
    }

    private void idle() {
        comm.service().release();
        comm.vicinity().leaveBoard();
        comm.service().subs().forEach(sub -> to(sub.comm()));
        comm.owner().forget(comm);
        comm.owner().mailbox().submit(new ContextPurge(comm.context(), comm.context() + ContextIds.FAREWELL, this::quiet));
    }

    private void quiet() {
        comm.accord(ContextIds.FAREWELL).arrive(0, this);
        finish(null);
    }

    @Override
    public MpiFailure finished(final ScheduleExecution run, final MpiFailure failure) {
        if (failure == null && comm.members().place() == 0) {
            comm.owner().contexts().free(comm.context());
        }
        return failure;
    }

    @Override
    public void afterwards(final ScheduleExecution run, final MpiFailure failure) {
        // the run is not used again
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
