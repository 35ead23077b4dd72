package tutti.runtime.request;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An action that waits for a request. Told by whoever completes the request, and by who left it there; may be told too often, or by one who
 * completed the request's use before, so it looks for itself.
 */
final class CompletionAction {
    private final Request request;
    private final Runnable action;
    private final AtomicBoolean taken = new AtomicBoolean();

    CompletionAction(final Request request, final Runnable action) {
        this.request = request;
        this.action = action;
    }

    void look() {
        if (request.isDone() && taken.compareAndSet(false, true)) {
            request.life.helpers().execute(action);
        }
    }
}
