package tutti.runtime.p2p;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Send;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.model.Status;

/** A request for a send. */
final class SendRequest extends MessageRequest {
    private static final Status CANCELLED = new Status(Status.ANY, Status.ANY, 0, true);

    private final Send send = new Send();
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private SerialExecutor target;
    private int worldRank;
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private SendMode mode;
    private @Nullable AttachedBuffer attachedBuffer;

    SendRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Sets the arguments of the send. */
    void prepare(final CommContext comm, final long context, final SendMode how, final @Nullable AttachedBuffer attached, final MessageBuffer from,
        final int dest, final int tag) {
        buffer = from;
        mode = how;
        target = comm.target(dest);
        worldRank = comm.worldRank(dest);
        attachedBuffer = attached;
        send.envelope(context, comm.rank(), tag, from.bytes());
    }

    @Override
    public void start() {
        buffer.reload();
        startLoaded();
    }

    @Override
    void startFirst() {
        buffer.load();
        startLoaded();
    }

    private void startLoaded() {
        reset();
        if (mode == SendMode.BUFFERED) {
            Objects.requireNonNull(attachedBuffer).send(send, buffer.memory(), target, worldRank);
            finish(null);
        } else {
            begin();
            send.message(buffer.memory(), 0, worldRank, mode == SendMode.SYNCHRONOUS);
            send.arm(this, null, 0);
            target.submit(send);
        }
    }

    @Override
    public void completed(final MessageOperation op) {
        send.release();
        end(op);
    }

    @Override
    public void cancel() {
        // a message to another node, or one that was copied, is not cancelled
        if (target instanceof Mailbox mailbox && !isDone()) {
            mailbox.submit(new CancelItem(send));
        }
    }

    @Override
    public Status status() {
        return send.isCancelled() ? CANCELLED : Status.EMPTY;
    }
}
