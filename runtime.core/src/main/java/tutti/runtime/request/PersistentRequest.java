package tutti.runtime.request;

/**
 * Something that can be under way again and again. When made it is inactive, which is as good as complete; {@link #start} makes it active
 * until it is complete.
 */
public abstract class PersistentRequest extends Request {

    /** Inactive, for a rank of that life. */
    protected PersistentRequest(final RankLifecycle life) {
        super(life);
    }

    /** Starts it. It must not be active. */
    public abstract void start();
}
