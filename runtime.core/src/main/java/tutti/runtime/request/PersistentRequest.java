package tutti.runtime.request;

/**
 * A request that can be started repeatedly. It is created inactive, which counts as complete. {@link #start} makes it active until it is
 * complete.
 */
public abstract class PersistentRequest extends Request {

    /** Creates an inactive request for the rank with that lifecycle. */
    protected PersistentRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Starts the request. It must not be active. */
    public abstract void start();
}
