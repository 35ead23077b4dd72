package tutti.runtime.comm;

import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.PendingOperations;

/** A request that is complete when no operation is pending any more. */
final class QuiescenceRequest extends Request {

    QuiescenceRequest(final RankLifecycle lifecycle, final PendingOperations pending) {
        super(lifecycle);
        pending.close(() -> finish(null));
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
