package tutti.runtime.request;

import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;

/**
 * A request that can be started repeatedly. It is created inactive, which counts as complete. {@link #start} makes it active until it is
 * complete.
 */
public abstract class PersistentRequest extends Request {

    /** Creates an inactive request for the rank with that lifecycle. */
    protected PersistentRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Returns a request that is complete from the start, and after every further start. */
    public static PersistentRequest completed(final RankLifecycle lifecycle, final Status status) {
        return new CompletedRequest(lifecycle, status);
    }

    /** Starts the request. It must not be active. */
    public abstract void start();
}
