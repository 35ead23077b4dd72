package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** Takes a receive back unless a message matched it, or a message of this node unless a receive or a probe took it or it was copied. */
public final class Cancel extends Item {
    private final Op op;

    /** Of that receive. */
    public Cancel(final Receive receive) {
        this.op = receive;
    }

    /** Of that message; to be submitted to its receiver's mailbox. */
    public Cancel(final Send send) {
        this.op = send;
    }

    @Override
    protected void run(final Serial at) {
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
