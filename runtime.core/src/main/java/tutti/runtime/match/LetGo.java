package tutti.runtime.match;

import tutti.runtime.error.MpiFailure;

/** Has a mailbox let go of messages that probes took and nobody received. */
public final class LetGo extends Item {

    @Override
    protected void run(final Serial at) {
        ((Mailbox) at).letGo();
    }

    @Override
    protected void broke(final MpiFailure why) {
        throw why;
    }
}
