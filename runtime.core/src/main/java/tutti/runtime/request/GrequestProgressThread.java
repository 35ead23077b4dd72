package tutti.runtime.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The progress engine of a rank's generalized requests: pushes those that are active, in turn, until they are complete. While nothing comes
 * of it, it spins, then yields, then sleeps longer and longer, up to a millisecond.
 */
final class GrequestProgressThread implements Runnable {
    private static final int SPINS = 1_000;
    private static final int YIELDS = 50;
    private static final long SHORTEST_NANOS = 2_000;
    private static final long LONGEST_NANOS = 1_000_000;
    /** How many of the longest sleeps there are without a request before the thread ends. */
    private static final int PATIENCE = 10;

    private final RankLifecycle life;
    private final RankHelperThreads helpers;
    /** Requests that were started since the thread looked. */
    private final List<GeneralizedRequest> fresh = new ArrayList<>();
    private Thread thread;

    GrequestProgressThread(final RankLifecycle life, final RankHelperThreads helpers) {
        this.life = life;
        this.helpers = helpers;
    }

    /** A request was started. */
    synchronized void add(final GeneralizedRequest request) {
        if (!request.listed) {
            request.listed = true;
            fresh.add(request);
        }
        if (thread == null) {
            thread = helpers.thread("-push", this);
            thread.start();
        } else {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        CoreOccupancy.enter();
        try {
            pushAll();
        } catch (final JobEnded e) {
            // the rank is ending, and nothing is pushed any more
            return;
        } finally {
            CoreOccupancy.leave();
        }
    }

    private void pushAll() {
        final List<GeneralizedRequest> active = new ArrayList<>();
        int vain = 0;
        int empty = 0;
        while (!life.isOver()) {
            final boolean more = collect(active);
            boolean moved = more;
            for (int i = active.size() - 1; i >= 0; i--) {
                final GeneralizedRequest request = active.get(i);
                request.help();
                if (request.isDone() && drop(request)) {
                    active.set(i, active.getLast());
                    active.removeLast();
                    moved = true;
                }
            }
            vain = moved ? 0 : vain + 1;
            empty = active.isEmpty() ? empty + 1 : 0;
            if (empty > PATIENCE && ended()) {
                return;
            }
            rest(active.isEmpty() ? Integer.MAX_VALUE : vain);
        }
    }

    private synchronized boolean collect(final List<GeneralizedRequest> active) {
        final boolean more = !fresh.isEmpty();
        active.addAll(fresh);
        fresh.clear();
        return more;
    }

    /** Takes a complete request out, unless it was started again meanwhile. */
    private synchronized boolean drop(final GeneralizedRequest request) {
        final boolean gone = request.isDone();
        request.listed = !gone;
        return gone;
    }

    private synchronized boolean ended() {
        if (fresh.isEmpty()) {
            thread = null;
            return true;
        }
        return false;
    }

    private void rest(final int vain) {
        if (vain < SPINS && CoreOccupancy.maySpin()) {
            Thread.onSpinWait();
        } else if (vain < SPINS + YIELDS) {
            Thread.yield();
        } else {
            final int doublings = Math.min(20, (vain - SPINS - YIELDS) / 4);
            CoreOccupancy.leave();
            LockSupport.parkNanos(this, Math.min(LONGEST_NANOS, SHORTEST_NANOS << doublings));
            CoreOccupancy.enter();
            if (Thread.interrupted()) {
                // nobody of the rank has a reason to, but a thread that is interrupted would not sleep
                life.check();
            }
        }
    }
}
