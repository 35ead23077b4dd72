package tutti.runtime.p2p;

import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Probe;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A request for a probe. */
final class ProbeRequest extends Request implements CompletionHandler {
    private final Probe probe;

    ProbeRequest(final RankLifecycle lifecycle, final Probe probe) {
        super(lifecycle);
        this.probe = probe;
        probe.arm(this, null, 0);
    }

    @Override
    public Pending pendingOperation() {
        return Pending.message(PendingWait.Kind.PROBE, probe.context(), probe.source(), probe.tag());
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
