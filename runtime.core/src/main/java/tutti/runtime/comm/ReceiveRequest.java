package tutti.runtime.comm;

import tutti.runtime.match.Cancel;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Op;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Sink;
import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** A receive that is waited for. */
final class ReceiveRequest extends Request implements Sink {
    final Receive receive = new Receive();
    private Mailbox mailbox;
    private Side side;

    ReceiveRequest(final Life life) {
        super(life);
    }

    void start(final Mailbox at, final Side into) {
        reset();
        mailbox = at;
        side = into.isDirect() ? null : into;
        receive.into(into.memory(), 0, into.bytes());
        receive.arm(this, null, 0);
        at.submit(receive);
    }

    @Override
    public void completed(final Op op) {
        receive.release();
        if (side != null) {
            side.store(receive.received());
            side = null;
        }
        finish(op.failure());
    }

    @Override
    public void cancel() {
        mailbox.submit(new Cancel(receive));
    }

    @Override
    public Status status() {
        return receive.isCancelled() ? new Status(Status.ANY, Status.ANY, 0, true)
            : new Status(receive.fromSource(), (int) receive.withTag(), receive.received(), false);
    }
}
