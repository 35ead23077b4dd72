package tutti.runtime.match;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item that drops the unexpected messages that earlier uses of context ids left: those that were queued before the creation of the communicator
 * began. It is submitted when the creation begins, before this rank takes part in the exchange, and again when the exchange has told the context ids.
 * Ranks that learn them earlier may send in them meanwhile; these messages stay.
 */
public final class StaleMessagePurge extends WorkItem {
    private final int kinds;
    /** The first ones of the context ids; empty while they are not known. */
    private long[] contexts = {};
    private long newest;

    /** Creates a purge of {@code kinds} consecutive context ids each. */
    public StaleMessagePurge(final int kinds) {
        this.kinds = kinds;
    }

    /** Sets the first ones of the context ids, before the second submission. */
    public void of(final long... firstContexts) {
        contexts = firstContexts;
    }

    private boolean covers(final IncomingMessage message) {
        for (final long from : contexts) {
            if (message.context >= from && message.context < from + kinds) {
                return message.age <= newest;
            }
        }
        return false;
    }

    @Override
    protected void run(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        if (contexts.length == 0) {
            newest = mailbox.newestUnexpected();
        } else {
            mailbox.dropUnexpected(this::covers);
        }
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        // stale messages stay
    }
}
