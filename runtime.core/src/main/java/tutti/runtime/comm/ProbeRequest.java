package tutti.runtime.comm;

import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Probe;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** A look for a message that is waited for. */
final class ProbeRequest extends Request implements CompletionHandler {
    private final Probe probe;

    ProbeRequest(final RankLifecycle life, final Probe probe) {
        super(life);
        this.probe = probe;
        probe.arm(this, null, 0);
    }

    Probe probe() {
        return probe;
    }

    @Override
    public void completed(final MessageOperation op) {
        finish(op.failure());
    }

    @Override
    public Status status() {
        return new Status(probe.fromSource(), (int) probe.withTag(), probe.length(), false);
    }
}
