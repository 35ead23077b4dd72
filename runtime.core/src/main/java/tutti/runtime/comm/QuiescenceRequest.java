package tutti.runtime.comm;

import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.PendingOperations;

/** A request that is complete when no operation is pending any more. */
final class QuiescenceRequest extends Request {

    private final Pending what;

    private QuiescenceRequest(final CommContext comm, final PendingOperations pending, final PendingWait.Kind kind) {
        super(comm.owner().lifecycle());
        this.what = Pending.ofAll(kind, comm.id(), -1);
        pending.close(() -> finish(null));
    }

    /** Waits until no nonblocking operation is pending on a communicator that refuses new ones. */
    static void await(final CommContext comm) {
        new QuiescenceRequest(comm, comm.pendingMessages(), PendingWait.Kind.DISCONNECT).await();
        new QuiescenceRequest(comm, comm.pendingCollectives(), PendingWait.Kind.RELEASE).await();
    }

    @Override
    public Pending pendingOperation() {
        return what;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
