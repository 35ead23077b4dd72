package tutti.runtime.request;

import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;

/** A request that is complete from the start, and after every further start. */
final class CompletedRequest extends PersistentRequest {
    private final Status status;

    CompletedRequest(final RankLifecycle lifecycle, final Status status) {
        super(lifecycle);
        this.status = status;
        finish(null);
    }

    @Override
    public void start() {
        // there is nothing to do, and it stays complete
    }

    @Override
    public Pending pendingOperation() {
        throw new IllegalStateException("nobody waits for a complete request");
    }

    @Override
    public Status status() {
        return status;
    }
}
