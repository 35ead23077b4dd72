package tutti.runtime.p2p;

import org.jspecify.annotations.Nullable;
import tutti.runtime.lifecycle.RankLifecycle;

/**
 * The requests that the blocking calls of a thread reuse, so that they allocate nothing. There is one instance per thread. A request is removed
 * while it is pending, so one that an error left behind is never used again.
 *
 * <p><b>Threads.</b> An instance belongs to its thread. Another thread may complete a request, which publishes its result, and does not touch it
 * afterwards.
 */
final class BlockingRequests {
    private static final ThreadLocal<@Nullable BlockingRequests> CURRENT = new ThreadLocal<>();

    private final RankLifecycle lifecycle;
    private @Nullable SendRequest send;
    private @Nullable ReceiveRequest receive;

    private BlockingRequests(final RankLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    static BlockingRequests of(final RankLifecycle lifecycle) {
        final BlockingRequests current = CURRENT.get();
        if (current != null && current.lifecycle == lifecycle) {
            return current;
        }
        final BlockingRequests fresh = new BlockingRequests(lifecycle);
        CURRENT.set(fresh);
        return fresh;
    }

    SendRequest takeSend() {
        final SendRequest s = send;
        send = null;
        return s == null ? new SendRequest(lifecycle) : s;
    }

    void returnSend(final SendRequest s) {
        send = s;
    }

    ReceiveRequest takeReceive() {
        final ReceiveRequest r = receive;
        receive = null;
        return r == null ? new ReceiveRequest(lifecycle) : r;
    }

    void returnReceive(final ReceiveRequest r) {
        receive = r;
    }
}
