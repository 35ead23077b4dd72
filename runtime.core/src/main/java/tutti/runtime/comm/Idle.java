package tutti.runtime.comm;

import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Usage;

/** Complete when nothing is under way any more. */
final class Idle extends Request {

    Idle(final Life life, final Usage usage) {
        super(life);
        usage.close(() -> finish(null));
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
