package tutti.runtime.context;

import java.util.concurrent.CompletionStage;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A request that is complete when a future is, successfully or not: a thread of a rank waits for it as for any other request. */
final class FutureRequest extends Request {

    private final PendingWait.Kind kind;

    /** Creates the request; {@code kind} is what completes the future. */
    FutureRequest(final RankLifecycle lifecycle, final CompletionStage<?> future, final PendingWait.Kind kind) {
        super(lifecycle);
        this.kind = kind;
        future.whenComplete((result, failure) -> finish(null));
    }

    @Override
    public Pending pendingOperation() {
        return Pending.of(kind);
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
