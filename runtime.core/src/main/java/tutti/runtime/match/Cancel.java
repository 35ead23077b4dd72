package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** Takes a receive back unless a message matched it. */
public final class Cancel extends Item {
    private final Receive receive;

    /** Of that receive. */
    public Cancel(final Receive receive) {
        this.receive = receive;
    }

    @Override
    protected void run(final Serial at) {
        ((Mailbox) at).cancel(receive);
    }

    @Override
    protected void broke(final MpiFailure why) {
        // nothing was taken back: the receive goes on
    }
}
