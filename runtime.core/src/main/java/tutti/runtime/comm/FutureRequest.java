package tutti.runtime.comm;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A request that is complete when a future is, successfully or not: a thread of a rank waits for it as for any other request. */
final class FutureRequest extends Request {

    private final PendingWait.Kind kind;

    private FutureRequest(final RankLifecycle lifecycle, final CompletionStage<?> future, final PendingWait.Kind kind) {
        super(lifecycle);
        this.kind = kind;
        future.whenComplete((result, failure) -> finish(null));
    }

    /**
     * Waits until a future is complete.
     *
     * @param kind  what completes it
     * @param limit time limit; null for none
     * @return whether it is complete
     */
    static boolean await(final RankLifecycle lifecycle, final CompletionStage<?> future, final PendingWait.Kind kind,
        final @Nullable Duration limit) {
        final FutureRequest request = new FutureRequest(lifecycle, future, kind);
        if (limit != null) {
            return request.awaitDone(limit);
        }
        request.await();
        return true;
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
