package tutti.runtime.comm;

import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.PendingOperations;

/** Complete when nothing is under way any more. */
final class QuiescenceRequest extends Request {

    QuiescenceRequest(final RankLifecycle life, final PendingOperations usage) {
        super(life);
        usage.close(() -> finish(null));
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
