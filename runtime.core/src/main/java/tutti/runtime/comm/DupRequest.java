package tutti.runtime.comm;

import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.request.Request;

/**
 * A nonblocking duplication of a communicator. The ranks agree on its context id by a schedule, which was started in the order of calls. The
 * selection of modules, which blocks, runs on a helper thread of the rank.
 */
final class DupRequest extends BackgroundRequest {
    private final Duplication duplication;
    private final Request agreement;

    DupRequest(final Duplication duplication, final Request agreement, final RankLifecycle lifecycle) {
        super(lifecycle);
        this.duplication = duplication;
        this.agreement = agreement;
    }

    @Override
    void work() {
        duplication.finish(agreement);
    }

    @Override
    public Pending pendingOperation() {
        return agreement.isDone() ? Pending.of(PendingWait.Kind.SELECTION) : agreement.pendingOperation();
    }
}
