package tutti.runtime.comm;

import tutti.runtime.match.Op;
import tutti.runtime.match.Probe;
import tutti.runtime.match.Sink;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** A look for a message that is waited for. */
final class ProbeRequest extends Request implements Sink {
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
    public void completed(final Op op) {
        finish(op.failure());
    }

    @Override
    public Status status() {
        return new Status(probe.fromSource(), (int) probe.withTag(), probe.length(), false);
    }
}
