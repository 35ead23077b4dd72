package tutti.runtime.window;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.Request;

/**
 * Keeps the first failure of steps that are all made, whatever has failed: other ranks wait for the barrier, the message or the unlock that follows a
 * failed access. For one thread.
 */
final class FirstFailure {
    private @Nullable MpiFailure first;

    /** Makes a step. */
    void of(final Runnable step) {
        try {
            step.run();
        } catch (final MpiFailure e) {
            keep(e);
        }
    }

    /** Waits for a request. */
    void await(final Request request) {
        try {
            request.await();
        } catch (final MpiFailure e) {
            keep(e);
        }
    }

    private void keep(final MpiFailure failure) {
        first = first == null ? failure : first;
    }

    /** Returns whether a step has failed. */
    boolean hasFailed() {
        return first != null;
    }

    /** Throws the first failure, if there is any. */
    void raise() {
        final MpiFailure failure = first;
        if (failure != null) {
            throw failure;
        }
    }
}
