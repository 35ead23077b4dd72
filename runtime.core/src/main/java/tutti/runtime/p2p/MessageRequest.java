package tutti.runtime.p2p;

import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.schedule.PendingOperations;

/** A request for a send or receive. Prepared once, it can be started again when it is complete. */
abstract class MessageRequest extends PersistentRequest implements CompletionHandler {
    /** The program's data. */
    @SuppressWarnings("NullAway.Init") // set before each start, see forget
    MessageBuffer buffer;
    /** The request that this one is a part of; null for most. */
    private @Nullable SendReceiveRequest whole;
    /** The communicator's pending messages; null when the call blocks, since the communicator cannot be disconnected during the call. */
    private @Nullable PendingOperations pendingMessages;
    /** The pending operations that keep the communicator's context id in use; null unless this request holds it until it is freed. */
    private @Nullable PendingOperations contextHold;

    MessageRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Starts the request like {@link #start}, for the first time. */
    abstract void startFirst();

    /** Makes the request a part of another one, which is told when it is complete. */
    final void partOf(final SendReceiveRequest other) {
        whole = other;
    }

    /** Counts the request among the communicator's pending messages while it is active. */
    final void countPending(final CommContext comm) {
        pendingMessages = comm.pendingMessages();
    }

    /** Counts the request like {@link #countPending}, and keeps the communicator's context id in use until the request is freed. */
    final void holdContext(final CommContext comm) {
        countPending(comm);
        contextHold = comm.pending();
        contextHold.hold();
    }

    @Override
    public final void free() {
        final PendingOperations hold = contextHold;
        contextHold = null;
        if (hold != null) {
            hold.release();
        }
    }

    /** Drops the reference to the caller's memory, so that an idle request keeps nothing alive. */
    @SuppressWarnings("NullAway") // the next start is preceded by a new buffer
    final void forget() {
        buffer = null;
    }

    /** Records that a message is about to be submitted. */
    final void begin() {
        if (pendingMessages != null) {
            pendingMessages.hold();
        }
    }

    /** Completes the request after the message that {@link #begin} recorded. The request is not accessed afterwards: it may be active again. */
    final void end(final MessageOperation op) {
        end(op, op.failure());
    }

    /** Completes the request as {@link #end(MessageOperation)} does, with a failure or null. */
    final void end(final MessageOperation op, final @Nullable MpiFailure failure) {
        final PendingOperations pending = pendingMessages;
        final SendReceiveRequest partOf = whole;
        finish(failure);
        if (partOf != null) {
            partOf.ended(this);
        }
        if (pending != null) {
            pending.release();
        }
    }
}
