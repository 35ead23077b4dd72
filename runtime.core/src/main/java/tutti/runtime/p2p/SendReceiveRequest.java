package tutti.runtime.p2p;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/**
 * A request for a send and a receive at the same time: complete when both are. Its failure is that of the send, else that of the receive; its status
 * is that of the receive. It cannot be cancelled.
 */
final class SendReceiveRequest extends Request {
    private static final int SENT = 1;
    private static final int RECEIVED = 2;

    private final SendRequest send;
    /** Null where nothing is received: from no process. */
    private final @Nullable ReceiveRequest receive;
    /** The parts that have ended. */
    private final AtomicInteger ended;

    SendReceiveRequest(final RankLifecycle lifecycle, final SendRequest send, final @Nullable ReceiveRequest receive) {
        super(lifecycle);
        this.send = send;
        this.receive = receive;
        this.ended = new AtomicInteger(receive == null ? RECEIVED : 0);
    }

    /** Starts the receive, and then the send. */
    void start() {
        if (receive != null) {
            receive.partOf(this);
            receive.startFirst();
        }
        send.partOf(this);
        send.startFirst();
        if (send.isDone()) {
            ended(send);
        }
    }

    /** Takes the end of a part into account, which is done. The send may be told of twice. */
    void ended(final MessageRequest part) {
        final int bit = part == send ? SENT : RECEIVED;
        if (ended.getAndUpdate(e -> e | bit) == (bit == SENT ? RECEIVED : SENT)) {
            final MpiFailure sending = failure(send);
            finish(sending != null || receive == null ? sending : failure(receive));
        }
    }

    private static @Nullable MpiFailure failure(final MessageRequest done) {
        try {
            done.test();
            return null;
        } catch (final MpiFailure e) {
            return e;
        }
    }

    /** Goes on with the receive. */
    @Override
    public void reopen() {
        reset();
        ended.set(SENT);
        Objects.requireNonNull(receive, "a receive is suspended, and no send").reopen();
    }

    @Override
    protected void poll() {
        if (receive != null) {
            receive.poll();
        }
    }

    @Override
    public Pending pendingOperation() {
        return receive == null || receive.isDone() ? send.pendingOperation() : receive.pendingOperation();
    }

    @Override
    public Status status() {
        return receive == null ? PointToPoint.NO_PROCESS : receive.status();
    }
}
