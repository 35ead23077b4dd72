package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** Takes a receive back unless a message matched it, or a message of this node unless a receive or a probe took it or it was copied. */
public final class CancelItem extends WorkItem {
    private final MessageOperation op;

    /** Of that receive. */
    public CancelItem(final Receive receive) {
        this.op = receive;
    }

    /** Of that message; to be submitted to its receiver's mailbox. */
    public CancelItem(final Send send) {
        this.op = send;
    }

    @Override
    protected void run(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        if (op instanceof Receive receive) {
            mailbox.cancel(receive);
        } else {
            mailbox.cancel((Send) op);
        }
    }

    @Override
    protected void broke(final MpiFailure why) {
        // nothing was taken back: it goes on
    }
}
