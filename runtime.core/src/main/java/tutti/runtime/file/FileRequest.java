package tutti.runtime.file;

import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A pending access to a file. Its status has the bytes that were read or written. */
final class FileRequest extends Request {
    private volatile Status status = Status.EMPTY;
    /** The exchange with the other ranks that the access waits for; null when it waits for none. */
    private volatile @Nullable Request exchange;

    FileRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
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
    }

    /** Completes the access, which has failed. */
    void fail(final MpiFailure why) {
        finish(why);
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
