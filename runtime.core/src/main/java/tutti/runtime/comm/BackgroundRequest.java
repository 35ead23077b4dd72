package tutti.runtime.comm;

import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.request.Request;

/** A request whose work blocks, and so runs on a helper thread of the rank. */
abstract class BackgroundRequest extends Request {
    private final RankLifecycle lifecycle;

    BackgroundRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
        this.lifecycle = lifecycle;
    }

    /** Does the work, after which the request is complete. */
    abstract void work();

    /** Starts the helper thread, which ends with the rank. */
    final void start(final String thread) {
        lifecycle.helpers().thread(thread, this::run).start();
    }

    private void run() {
        CoreOccupancy.enter();
        try {
            work();
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
    public final Status status() {
        return Status.EMPTY;
    }
}
