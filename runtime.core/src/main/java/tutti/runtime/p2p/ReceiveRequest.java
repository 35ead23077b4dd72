package tutti.runtime.p2p;

import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.DataLayout;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.select.CommHints;

/** A request for a receive. */
final class ReceiveRequest extends MessageRequest {
    private final Receive receive = new Receive();
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private Mailbox mailbox;
    private @Nullable TypeComparison comparison;
    /** The communicator whose hint promises that the message is as long as the receive; null where none does. */
    private @Nullable CommContext exact;

    ReceiveRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Sets the arguments of the receive. */
    void prepare(final CommContext comm, final long context, final MessageBuffer into, final int source, final int tag) {
        mailbox = comm.owner().mailbox();
        buffer = into;
        exact = context == comm.id() + ContextIds.MESSAGES && comm.hints().exactLength() ? comm : null;
        receive.want(context, source, tag);
    }

    /** Prepares a receive like {@link #prepare(CommContext, int, MessageBuffer, int, int)}, for a message that a probe matched. */
    void prepare(final CommContext comm, final MessageBuffer into, final IncomingMessage matched) {
        mailbox = comm.owner().mailbox();
        buffer = into;
        exact = comm.hints().exactLength() ? comm : null;
        receive.want(matched);
    }

    /** Sets how the elements of the message are compared; null where they are not. */
    void compares(final @Nullable TypeComparison how) {
        comparison = how;
    }

    @Override
    public void start() {
        buffer.reread();
        startFirst();
    }

    @Override
    void startFirst() {
        reset();
        begin();
        final DataLayout layout = buffer.layout();
        if (layout == null) {
            receive.into(buffer.memory(), 0, buffer.bytes());
        } else {
            receive.into(layout, buffer.bytes());
        }
        receive.arm(this, null, 0);
        mailbox.submit(receive);
    }

    @Override
    public void reopen() {
        startFirst();
    }

    @Override
    protected void poll() {
        mailbox.pollQueues();
    }

    @Override
    public void completed(final MessageOperation op) {
        final boolean isStaged = !buffer.isDirect() && !receive.hasLayout();
        receive.release();
        final TypeComparison compared = comparison;
        if (compared != null && op.failure() == null && !receive.isCancelled()) {
            compared.compare(receive);
        }
        if (isStaged && !receive.isCancelled()) {
            buffer.store(receive.received());
        }
        end(op, exact == null || op.failure() != null || receive.isCancelled() ? op.failure() : shorter(exact));
    }

    /** Returns the error of a message that is shorter than its receive, against the promise of the program; null for another one. */
    private @Nullable MpiFailure shorter(final CommContext comm) {
        // Cause: the program breaks its promise.
        return receive.received() == buffer.bytes() ? null
            : new MpiFailure(ErrorClass.COUNT, "message of " + receive.received() + " bytes from rank " + receive.fromSource() + ", tag "
                + receive.withTag() + ", on " + comm.name() + " for a receive of " + buffer.bytes() + " bytes, though hint " + CommHints.EXACT_LENGTH
                + "=true promises that lengths are equal: receive as much as is sent, or set the hint to false");
    }

    @Override
    public Pending pendingOperation() {
        return receive.isMatched() ? Pending.message(PendingWait.Kind.TRANSFER, receive.context(), receive.fromSource(), receive.withTag())
            : Pending.message(PendingWait.Kind.RECEIVE, receive.context(), receive.source(), receive.tag());
    }

    @Override
    public void cancel() {
        if (!isDone()) {
            mailbox.submit(new CancelItem(receive));
        }
    }

    @Override
    public Status status() {
        return receive.isCancelled() ? new Status(Status.ANY, Status.ANY, 0, true)
            : new Status(receive.fromSource(), (int) receive.withTag(), receive.received(), false);
    }
}
