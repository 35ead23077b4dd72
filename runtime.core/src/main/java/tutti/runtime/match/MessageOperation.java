package tutti.runtime.match;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * A send, receive or probe. It is prepared with {@link #arm}, submitted, and can be started again when it is complete.
 *
 * <p>An operation may complete on a thread that does not own its rank's mailbox: a send completes at the receiver's mailbox or at a link. An
 * operation with a home mailbox is submitted there first, and its handler is called by the owner of that mailbox.
 */
public abstract class MessageOperation extends WorkItem {
    private CompletionHandler handler = CompletionHandler.NONE;
    private @Nullable SerialExecutor home;
    private boolean complete;
    private @Nullable MpiFailure failure;
    private int token;

    /**
     * Prepares the operation for a start.
     *
     * @param handler called when the operation is complete
     * @param home    the mailbox whose owner calls the handler; null when any thread may call it
     * @param token   a value for the handler's own use
     */
    public final void arm(final CompletionHandler handler, final @Nullable SerialExecutor home, final int token) {
        this.handler = handler;
        this.home = home;
        this.token = token;
        this.complete = false;
        this.failure = null;
    }

    /** Returns the token passed to {@link #arm}. */
    public final int token() {
        return token;
    }

    /** Returns the failure, or null. */
    public final @Nullable MpiFailure failure() {
        return failure;
    }

    /** Completes the operation; the calling thread owns {@code at}, which may be null. Only the handler may touch the operation afterwards. */
    public final void complete(final @Nullable SerialExecutor at, final @Nullable MpiFailure why) {
        failure = why;
        if (home == null || home == at) {
            handler.completed(this);
        } else {
            complete = true;
            home.submit(this);
        }
    }

    @Override
    protected final void run(final SerialExecutor at) {
        if (complete) {
            complete = false;
            handler.completed(this);
        } else {
            begin(at);
        }
    }

    /** Starts the operation at the executor that it was submitted to. */
    protected abstract void begin(SerialExecutor at);

    @Override
    protected final void onFailure(final MpiFailure why) {
        failure = why;
        handler.completed(this);
    }
}
