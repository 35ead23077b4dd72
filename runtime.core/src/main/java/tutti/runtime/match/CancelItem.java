package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item that cancels a posted receive, or a send. It has no effect on a receive that was matched, nor on a send that was received, copied or
 * taken by a matched probe.
 */
public final class CancelItem extends WorkItem {
    private final MessageOperation op;

    /** Cancels a receive; to be submitted to the receiving rank's mailbox. */
    public CancelItem(final Receive receive) {
        this.op = receive;
    }

    /** Cancels a send; to be submitted where the send was. */
    public CancelItem(final Send send) {
        this.op = send;
    }

    /** Returns what is cancelled. */
    public MessageOperation operation() {
        return op;
    }

    @Override
    protected void run(final SerialExecutor at) {
        if (op instanceof Receive receive) {
            ((Mailbox) at).cancel(receive);
        } else {
            ((SendTarget) at).cancel((Send) op);
        }
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        // nothing was cancelled: the operation continues
    }
}
