package tutti.runtime.comm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;

/** A nonblocking shrinking of a communicator. It begins in the order of calls; all that follows runs on a helper thread of the rank. */
public final class ShrinkRequest extends BackgroundRequest {
    private final Shrinking shrinking;
    private @Nullable Communicator made;

    private ShrinkRequest(final Shrinking shrinking, final RankLifecycle lifecycle) {
        super(lifecycle);
        this.shrinking = shrinking;
    }

    /** Begins to shrink a communicator. */
    static ShrinkRequest start(final Communicator parent) {
        final ShrinkRequest request = new ShrinkRequest(new Shrinking(parent), parent.owner().context().lifecycle());
        request.start("-ishrink");
        return request;
    }

    /** Returns the communicator of the ranks that live. Only when the request is complete, and has not failed. */
    public Communicator communicator() {
        return Objects.requireNonNull(made, "communicator of a request that is complete");
    }

    @Override
    void work() {
        made = shrinking.finish();
    }

    @Override
    public Pending pendingOperation() {
        return Pending.of(PendingWait.Kind.SELECTION);
    }
}
