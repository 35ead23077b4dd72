package tutti.runtime.comm;

import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.schedule.PendingOperations;

/** A send or receive that is waited for. Prepared once, it can be started again when it is complete. */
abstract class MessageRequest extends PersistentRequest implements CompletionHandler {
    /** The program's data. */
    MessageBuffer side;
    /** Messages under way on the communicator; null when the call waits, as nobody disconnects that meanwhile. */
    private PendingOperations messages;
    /** Of the communicator's context; null unless it lasts until this is freed. */
    private PendingOperations kept;

    MessageRequest(final RankLifecycle life) {
        super(life);
    }

    /** As {@link #start}, for the first time. */
    abstract void startFirst();

    /** Counts as under way on the communicator while it is active. */
    final void count(final Communicator comm) {
        messages = comm.underWay();
    }

    /** As {@link #count}, and keeps the communicator's context from being used again until this is freed. */
    final void keep(final Communicator comm) {
        count(comm);
        kept = comm.engine().usage();
        kept.hold();
    }

    @Override
    public final void free() {
        final PendingOperations mine = kept;
        kept = null;
        if (mine != null) {
            mine.letGo();
        }
    }

    /** Forgets the caller's memory, so that an idle object pins nothing. */
    final void forget() {
        side = null;
    }

    /** A message is about to be submitted. */
    final void begin() {
        if (messages != null) {
            messages.hold();
        }
    }

    /** The message that {@link #begin} was for is complete. Nothing here is touched afterwards: it may be under way again. */
    final void end(final MessageOperation op) {
        final PendingOperations mine = messages;
        finish(op.failure());
        if (mine != null) {
            mine.letGo();
        }
    }
}
