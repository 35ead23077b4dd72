package tutti.runtime.p2p;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.context.CommContext;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.DataLayout;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.QueueWriter;
import tutti.runtime.match.Send;
import tutti.runtime.model.Status;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.wire.PeerNode;

/** A request for a send. */
final class SendRequest extends MessageRequest {
    private static final Status CANCELLED = new Status(Status.ANY, Status.ANY, 0, true);

    private final Send send = new Send();
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private SerialExecutor target;
    private @Nullable QueueWriter queue;
    private int worldRank;
    private int dest;
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private SendMode mode;
    private @Nullable AttachedBuffer attachedBuffer;
    /** The message in the attached buffer, until it is cancelled; null for other modes. */
    private AttachedBuffer.@Nullable Message buffered;
    private long use;
    private boolean cancelled;

    SendRequest(final RankLifecycle lifecycle) {
        super(lifecycle);
    }

    /** Sets the arguments of the send. */
    void prepare(final CommContext comm, final long context, final SendMode how, final @Nullable AttachedBuffer attached, final MessageBuffer from,
        final int to, final int tag) {
        buffer = from;
        dest = to;
        mode = how;
        target = comm.target(to);
        queue = comm.owner().outgoing().to(target);
        worldRank = comm.worldRank(to);
        attachedBuffer = attached;
        send.envelope(context, comm.rank(), tag, from.bytes());
    }

    /** Sets what the message says about its elements, from {@link TypeComparison#code}. */
    void ofType(final long code) {
        send.ofCall(code);
    }

    @Override
    public void start() {
        buffer.reread();
        startFirst();
    }

    @Override
    void startFirst() {
        reset();
        cancelled = false;
        buffered = null;
        final DataLayout layout = layout();
        if (layout == null) {
            buffer.load();
            send.message(buffer.memory(), 0, worldRank, mode == SendMode.SYNCHRONOUS);
        } else {
            send.message(layout, worldRank, mode == SendMode.SYNCHRONOUS);
        }
        if (queue != null && mode != SendMode.SYNCHRONOUS && queue.offer(send)) {
            send.release();
            finish(null);
        } else if (mode == SendMode.BUFFERED) {
            final AttachedBuffer.Message message = Objects.requireNonNull(attachedBuffer).take(send.bytes());
            buffered = message;
            use = message.use();
            message.send(send, target, queue);
            send.release();
            finish(null);
        } else {
            begin();
            send.bypass(queue);
            send.arm(this, null, 0);
            target.submit(send);
        }
    }

    /** Returns the data of a long message to another node whose elements have gaps; null where the message is packed as a whole. */
    private @Nullable DataLayout layout() {
        return send.bytes() > PeerNode.EAGER_LIMIT && mode != SendMode.BUFFERED && !(target instanceof Mailbox) ? buffer.layout() : null;
    }

    @Override
    public void completed(final MessageOperation op) {
        send.release();
        cancelled = ((Send) op).isCancelled();
        end(op);
    }

    @Override
    public Pending pendingOperation() {
        return Pending.message(send.isCleared() ? PendingWait.Kind.TRANSFER : PendingWait.Kind.SEND, send.context(), dest, send.tag());
    }

    @Override
    public void cancel() {
        final AttachedBuffer.Message message = buffered;
        if (!isDone()) {
            if (mode != SendMode.BUFFERED) {
                target.submit(new CancelItem(send));
            }
        } else if (message != null) {
            buffered = null;
            // it was complete with the copy, and is now pending until the message is cancelled or received
            reset();
            begin();
            if (!message.cancel(use, target, this)) {
                end(send);
            }
        }
    }

    @Override
    public Status status() {
        return cancelled ? CANCELLED : Status.EMPTY;
    }
}
