package tutti.runtime.request;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An action that runs once, on the rank's helper thread, when a request is complete.
 *
 * <p>The thread that completes the request notifies it, and so does the thread that registers it. It may be notified more than once, or by the
 * completion of an earlier use of the request, and therefore checks the request itself.
 *
 * <p><b>Threads.</b> Safe for any thread. One thread wins the compare-and-set and submits the action; nobody waits.
 */
final class CompletionAction {
    private final Request request;
    private final Runnable action;
    private final AtomicBoolean taken = new AtomicBoolean();

    CompletionAction(final Request request, final Runnable action) {
        this.request = request;
        this.action = action;
    }

    void runIfDone() {
        if (request.isDone() && taken.compareAndSet(false, true)) {
            request.lifecycle.helpers().execute(action);
        }
    }
}
