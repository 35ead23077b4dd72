package tutti.runtime.request;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets a thread wait for requests. A wait for one request spins while cores are idle, then yields, then parks. Until it parks it {@linkplain
 * Request#poll polls} the request. A wait for any of several requests yields and makes progress on the requests for 20 tries, then parks.
 *
 * <p>A yield that comes back late has given the core to a thread that computes: each further one would cost a time slice, while a parked thread is
 * woken when its request completes. So the thread then parks at once, and does not yield during its next waits.
 *
 * <p>There is one waiter per thread. The thread that completes a request wakes the waiter that the request names. No completion is lost before
 * parking: the waiting thread sets the request's waiter and then reads its state, the completing thread sets the state and then reads the
 * waiter, and all four accesses are volatile.
 */
final class Waiter {
    private static final ThreadLocal<Waiter> CURRENT = ThreadLocal.withInitial(Waiter::new);
    private static final int SPINS = 2_000;
    private static final int YIELDS = 20;
    private static final long LATE_NANOS = 500_000;
    private static final int WAITS_WITHOUT_YIELD = 100;

    private final Thread thread = Thread.currentThread();
    private int waitsWithoutYield;

    private Waiter() {}

    static Waiter current() {
        return CURRENT.get();
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    void await(final Request request) {
        if (spinAndYield(request)) {
            return;
        }
        request.waiter = this;
        request.parking();
        CoreOccupancy.leave();
        try {
            while (!request.isDone()) {
                request.lifecycle.check();
                LockSupport.park(request);
            }
        } finally {
            CoreOccupancy.enter();
            request.waiter = null;
        }
    }

    private boolean spinAndYield(final Request request) {
        if (CoreOccupancy.maySpin()) {
            for (int i = 0; i < SPINS; i++) {
                request.poll();
                if (request.isDone()) {
                    return true;
                }
                Thread.onSpinWait();
            }
        }
        for (int yields = yields();; yields = yieldCore(yields)) {
            request.poll();
            if (request.isDone()) {
                return true;
            }
            if (yields == 0) {
                return false;
            }
        }
    }

    /** Returns how often this wait may yield, and counts the wait. */
    private int yields() {
        if (waitsWithoutYield == 0) {
            return YIELDS;
        }
        waitsWithoutYield--;
        return 0;
    }

    /** Yields the core, and returns how often the wait may yield after that. */
    private int yieldCore(final int left) {
        final long before = System.nanoTime();
        Thread.yield();
        if (System.nanoTime() - before < LATE_NANOS) {
            return left - 1;
        }
        waitsWithoutYield = WAITS_WITHOUT_YIELD;
        return 0;
    }

    /** Waits for one of the requests, and returns the index of the first complete one. Skips nulls; at least one request is not null. */
    int awaitAny(final Request[] requests) {
        for (int yields = yields();; yields = yieldCore(yields)) {
            final int index = firstDone(requests);
            if (index >= 0) {
                return index;
            }
            progress(requests);
            if (yields == 0) {
                break;
            }
        }
        RankLifecycle lifecycle = null;
        for (final Request r : requests) {
            if (r != null) {
                r.waiter = this;
                lifecycle = r.lifecycle;
            }
        }
        CoreOccupancy.leave();
        try {
            int index = firstDone(requests);
            while (index < 0) {
                lifecycle.check();
                LockSupport.park(requests);
                index = firstDone(requests);
            }
            return index;
        } finally {
            CoreOccupancy.enter();
            for (final Request r : requests) {
                if (r != null) {
                    r.waiter = null;
                }
            }
        }
    }

    private static void progress(final Request[] requests) {
        for (final Request r : requests) {
            if (r != null) {
                r.progress();
            }
        }
    }

    private static int firstDone(final Request[] requests) {
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] != null && requests[i].isDone()) {
                return i;
            }
        }
        return -1;
    }
}
