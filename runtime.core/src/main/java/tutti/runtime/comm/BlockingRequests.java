package tutti.runtime.comm;

import tutti.runtime.request.RankLifecycle;

/**
 * The requests that a thread's blocking calls use again and again, so that they allocate nothing. One per thread; a request is taken out
 * while it is under way, so one that an error left behind is never used again.
 */
final class BlockingRequests {
    private static final ThreadLocal<BlockingRequests> CURRENT = new ThreadLocal<>();

    private final RankLifecycle life;
    private SendRequest send;
    private ReceiveRequest receive;

    private BlockingRequests(final RankLifecycle life) {
        this.life = life;
    }

    static BlockingRequests of(final RankLifecycle life) {
        final BlockingRequests mine = CURRENT.get();
        if (mine != null && mine.life == life) {
            return mine;
        }
        final BlockingRequests fresh = new BlockingRequests(life);
        CURRENT.set(fresh);
        return fresh;
    }

    SendRequest takeSend() {
        final SendRequest s = send;
        send = null;
        return s == null ? new SendRequest(life) : s;
    }

    void giveSend(final SendRequest s) {
        send = s;
    }

    ReceiveRequest takeReceive() {
        final ReceiveRequest r = receive;
        receive = null;
        return r == null ? new ReceiveRequest(life) : r;
    }

    void giveReceive(final ReceiveRequest r) {
        receive = r;
    }
}
