package tutti.runtime.access;

import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A pending access to a window, or a lock that a rank waits for. */
public final class AccessRequest extends Request {
    private final long window;
    private final int target;
    private final PendingWait.Kind kind;
    private volatile boolean hasFailed;

    /** Creates a request on a target of a window. */
    public AccessRequest(final RankLifecycle lifecycle, final long window, final int target, final PendingWait.Kind kind) {
        super(lifecycle);
        this.window = window;
        this.target = target;
        this.kind = kind;
    }

    /** Returns a request that is complete. */
    public static AccessRequest completed(final RankLifecycle lifecycle, final long window, final int target) {
        final AccessRequest done = new AccessRequest(lifecycle, window, target, PendingWait.Kind.WINDOW);
        done.complete(null);
        return done;
    }

    /** Completes the request; once. */
    public void complete(final @Nullable MpiFailure why) {
        hasFailed = why != null;
        finish(why);
    }

    /** Returns whether the access is complete and had no effect. */
    public boolean hasFailed() {
        return hasFailed;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }

    @Override
    public Pending pendingOperation() {
        return Pending.message(kind, window, target, PendingWait.ANY);
    }
}
