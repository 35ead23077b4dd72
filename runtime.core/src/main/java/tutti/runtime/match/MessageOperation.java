package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/**
 * A send or a receive. Made ready with {@link #arm}, then submitted; used again after it is complete.
 *
 * <p>Where it completes is not where it belongs: a send completes at the receiver's mailbox or at a link. One that names a home is
 * brought there before its sink hears of it.
 */
public abstract class MessageOperation extends WorkItem {
    private CompletionHandler sink;
    private Mailbox home;
    private boolean complete;
    private MpiFailure failure;
    private int token;

    /**
     * Says who hears of completion.
     *
     * @param sink  called when complete
     * @param home  by whose owner; null when any thread may
     * @param token for the sink's own use
     */
    public final void arm(final CompletionHandler sink, final Mailbox home, final int token) {
        this.sink = sink;
        this.home = home;
        this.token = token;
        this.complete = false;
        this.failure = null;
    }

    /** What the sink put in. */
    public final int token() {
        return token;
    }

    /** Why it failed, or null. */
    public final MpiFailure failure() {
        return failure;
    }

    /** Completes it; the calling thread owns {@code at}, which may be null. Nobody but the sink touches it afterwards. */
    public final void complete(final SerialExecutor at, final MpiFailure why) {
        failure = why;
        if (home == null || home == at) {
            sink.completed(this);
        } else {
            complete = true;
            home.submit(this);
        }
    }

    @Override
    protected final void run(final SerialExecutor at) {
        if (complete) {
            complete = false;
            sink.completed(this);
        } else {
            begin(at);
        }
    }

    /** The operation reached the place where it is to be carried out. */
    protected abstract void begin(SerialExecutor at);

    @Override
    protected final void broke(final MpiFailure why) {
        failure = why;
        if (sink != null) {
            sink.completed(this);
        }
    }
}
