package tutti.runtime.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.process.JobEndedError;

/**
 * Progress engine of a rank's generalized requests: pushes the active requests in turn until they are complete.
 *
 * <p>While no request completes and none is added it spins, then yields, then sleeps for increasing times of up to a millisecond. The thread is
 * started when a request is added and ends after a while without requests.
 */
final class GrequestProgressThread implements Runnable {
    private static final int SPINS = 1_000;
    private static final int YIELDS = 50;
    private static final long MIN_SLEEP_NANOS = 2_000;
    private static final long MAX_SLEEP_NANOS = 1_000_000;
    /** Number of consecutive rounds without a request, each with the longest sleep, after which the thread ends. */
    private static final int IDLE_SLEEPS = 10;

    private final RankLifecycle lifecycle;
    private final RankHelperThreads helpers;
    /** Requests that were added since the thread last collected them. */
    private final List<GeneralizedRequest> newRequests = new ArrayList<>();
    private Thread thread;

    GrequestProgressThread(final RankLifecycle lifecycle, final RankHelperThreads helpers) {
        this.lifecycle = lifecycle;
        this.helpers = helpers;
    }

    /** Adds a request that was started, and starts or wakes the thread. */
    synchronized void add(final GeneralizedRequest request) {
        if (!request.listed) {
            request.listed = true;
            newRequests.add(request);
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
        } catch (final JobEndedError e) {
            // the rank is ending: nothing is pushed any more
            return;
        } finally {
            CoreOccupancy.leave();
        }
    }

    private void pushAll() {
        final List<GeneralizedRequest> active = new ArrayList<>();
        int idleRounds = 0;
        int emptyRounds = 0;
        while (!lifecycle.isEnded()) {
            final boolean added = collect(active);
            boolean progressed = added;
            for (int i = active.size() - 1; i >= 0; i--) {
                final GeneralizedRequest request = active.get(i);
                request.progress();
                if (request.isDone() && drop(request)) {
                    active.set(i, active.getLast());
                    active.removeLast();
                    progressed = true;
                }
            }
            idleRounds = progressed ? 0 : idleRounds + 1;
            emptyRounds = active.isEmpty() ? emptyRounds + 1 : 0;
            if (emptyRounds > IDLE_SLEEPS && endIfIdle()) {
                return;
            }
            pause(active.isEmpty() ? Integer.MAX_VALUE : idleRounds);
        }
    }

    private synchronized boolean collect(final List<GeneralizedRequest> active) {
        final boolean added = !newRequests.isEmpty();
        active.addAll(newRequests);
        newRequests.clear();
        return added;
    }

    /** Removes a complete request from the list, unless it was started again in the meantime; returns whether it was removed. */
    private synchronized boolean drop(final GeneralizedRequest request) {
        final boolean removed = request.isDone();
        request.listed = !removed;
        return removed;
    }

    private synchronized boolean endIfIdle() {
        if (newRequests.isEmpty()) {
            thread = null;
            return true;
        }
        return false;
    }

    private void pause(final int idleRounds) {
        if (idleRounds < SPINS && CoreOccupancy.maySpin()) {
            Thread.onSpinWait();
        } else if (idleRounds < SPINS + YIELDS) {
            Thread.yield();
        } else {
            final int doublings = Math.min(20, (idleRounds - SPINS - YIELDS) / 4);
            CoreOccupancy.leave();
            LockSupport.parkNanos(this, Math.min(MAX_SLEEP_NANOS, MIN_SLEEP_NANOS << doublings));
            CoreOccupancy.enter();
            if (Thread.interrupted()) {
                // no thread of the rank should interrupt this one, but while interrupted it would not sleep
                lifecycle.check();
            }
        }
    }
}
