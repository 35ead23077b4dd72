package tutti.runtime.comm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.request.Request;

/**
 * A nonblocking shrinking of a communicator. It begins in the order of calls; all that follows blocks, and runs on a helper thread of the rank.
 */
public final class ShrinkRequest extends Request implements Runnable {
    private final Shrinking shrinking;
    private @Nullable Communicator made;

    private ShrinkRequest(final Shrinking shrinking, final RankLifecycle lifecycle) {
        super(lifecycle);
        this.shrinking = shrinking;
    }

    /** Begins to shrink a communicator. */
    static ShrinkRequest start(final Communicator parent) {
        final RankLifecycle lifecycle = parent.owner().context().lifecycle();
        final ShrinkRequest request = new ShrinkRequest(new Shrinking(parent), lifecycle);
        lifecycle.helpers().thread("-ishrink", request).start();
        return request;
    }

    /** Returns the communicator of the ranks that live. Only when the request is complete, and has not failed. */
    public Communicator communicator() {
        return Objects.requireNonNull(made, "communicator of a request that is complete");
    }

    @Override
    public void run() {
        CoreOccupancy.enter();
        try {
            made = shrinking.finish();
            finish(null);
        } catch (final MpiFailure e) {
            finish(e);
        } catch (final JobEndedError e) {
            // a thread that waits for the request checks the lifecycle itself
            return;
        } catch (final RuntimeException e) {
            // Cause: the runtime, or a module or function of the program that it called, threw an exception, for example for lack of memory. Remedy:
            // the cause says which; report it otherwise.
            finish(new MpiFailure(ErrorClass.INTERN, "internal error: " + e, e));
        } finally {
            CoreOccupancy.leave();
        }
    }

    @Override
    public Pending pendingOperation() {
        return Pending.of(PendingWait.Kind.SELECTION);
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
