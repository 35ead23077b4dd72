package tutti.runtime.file;

import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.PendingOperations;

/** A pending access to a file, which counts among the pending operations of the file's communicator. Its status has the bytes read or written. */
final class FileRequest extends Request {
    private final FileAccess access;
    private final PendingOperations pending;
    private volatile Status status = Status.EMPTY;
    /** The exchange with the other ranks that the access waits for; null when it waits for none. */
    private volatile @Nullable Request exchange;

    /** Creates the request of an access that begins. */
    FileRequest(final CommContext comm, final FileAccess access) {
        super(comm.owner().lifecycle());
        this.access = access;
        this.pending = comm.pendingCollectives();
        pending.hold();
    }

    FileAccess access() {
        return access;
    }

    /** Waits for an exchange with the other ranks, on behalf of the access. */
    void await(final Request step) {
        exchange = step;
        step.await();
        exchange = null;
    }

    /** Completes the access. */
    void complete(final Status result) {
        status = result;
        finish(null);
        pending.release();
    }

    /** Completes the access, which has failed. */
    void fail(final MpiFailure why) {
        finish(why);
        pending.release();
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public Pending pendingOperation() {
        final Request step = exchange;
        return step == null || step.isDone() ? Pending.of(PendingWait.Kind.FILE) : step.pendingOperation();
    }
}
