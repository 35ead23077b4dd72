package tutti.runtime.comm;

import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** A request that was complete from the start. */
final class Done extends Request {
    private final Status status;

    Done(final Life life, final Status status) {
        super(life);
        this.status = status;
        finish(null);
    }

    @Override
    public Status status() {
        return status;
    }
}
