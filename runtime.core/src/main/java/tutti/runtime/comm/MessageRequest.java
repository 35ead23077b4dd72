package tutti.runtime.comm;

import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.schedule.PendingOperations;

/** A request for a send or receive. Prepared once, it can be started again when it is complete. */
abstract class MessageRequest extends PersistentRequest implements CompletionHandler {
    /** The program's data. */
    MessageBuffer side;
    /** The communicator's pending messages; null when the call blocks, since the communicator cannot be disconnected during the call. */
    private PendingOperations messages;
    /** The pending operations that keep the communicator's context id in use; null unless this request holds it until it is freed. */
    private PendingOperations kept;

    MessageRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Starts the request like {@link #start}, for the first time. */
    abstract void startFirst();

    /** Counts the request among the communicator's pending messages while it is active. */
    final void count(final Communicator comm) {
        messages = comm.underWay();
    }

    /** Counts the request like {@link #count}, and keeps the communicator's context id in use until the request is freed. */
    final void keep(final Communicator comm) {
        count(comm);
        kept = comm.engine().usage();
        kept.hold();
    }

    @Override
    public final void free() {
        final PendingOperations hold = kept;
        kept = null;
        if (hold != null) {
            hold.letGo();
        }
    }

    /** Drops the reference to the caller's memory, so that an idle request keeps nothing alive. */
    final void forget() {
        side = null;
    }

    /** Records that a message is about to be submitted. */
    final void begin() {
        if (messages != null) {
            messages.hold();
        }
    }

    /** Completes the request after the message that {@link #begin} recorded. The request is not accessed afterwards: it may be active again. */
    final void end(final MessageOperation op) {
        final PendingOperations pending = messages;
        finish(op.failure());
        if (pending != null) {
            pending.letGo();
        }
    }
}
