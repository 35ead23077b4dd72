package tutti.runtime.comm;

import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.request.Request;

/**
 * A nonblocking duplication of a communicator. The ranks agree on its context id by a schedule, which was started in the order of calls. The
 * selection of modules, which blocks, runs on a helper thread of the rank.
 */
final class DupRequest extends Request implements Runnable {
    private final Duplication duplication;
    private final Request agreement;
    private final RankLifecycle lifecycle;

    DupRequest(final Duplication duplication, final Request agreement, final RankLifecycle lifecycle) {
        super(lifecycle);
        this.duplication = duplication;
        this.agreement = agreement;
        this.lifecycle = lifecycle;
    }

    /** Starts the helper thread, which ends with the rank. */
    void start() {
        lifecycle.helpers().thread("-idup", this).start();
    }

    @Override
    public void run() {
        CoreOccupancy.enter();
        try {
            duplication.finish(agreement);
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
        return agreement.isDone() ? Pending.of(PendingWait.Kind.SELECTION) : agreement.pendingOperation();
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
