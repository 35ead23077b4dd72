package tutti.runtime.request;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets a thread wait for requests. A wait for one request spins while cores are idle, then yields, then parks. Until it parks it {@linkplain
 * Request#poll polls} the request. A wait for any of several requests yields and makes progress on the requests for 20 tries, then parks.
 *
 * <p>There is one waiter per thread. The thread that completes a request wakes the waiter that the request names. No completion is lost before
 * parking: the waiting thread sets the request's waiter and then reads its state, the completing thread sets the state and then reads the
 * waiter, and all four accesses are volatile.
 */
final class Waiter {
    private static final ThreadLocal<Waiter> CURRENT = ThreadLocal.withInitial(Waiter::new);
    private static final int SPINS = 2_000;
    private static final int YIELDS = 20;

    private final Thread thread = Thread.currentThread();

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

    private static boolean spinAndYield(final Request request) {
        if (CoreOccupancy.maySpin()) {
            for (int i = 0; i < SPINS; i++) {
                request.poll();
                if (request.isDone()) {
                    return true;
                }
                Thread.onSpinWait();
            }
        }
        for (int i = 0; i < YIELDS; i++) {
            request.poll();
            if (request.isDone()) {
                return true;
            }
            Thread.yield();
        }
        return request.isDone();
    }

    /** Waits for one of the requests, and returns the index of the first complete one. Skips nulls; at least one request is not null. */
    int awaitAny(final Request[] requests) {
        for (int i = 0; i < YIELDS; i++) {
            final int index = firstDone(requests);
            if (index >= 0) {
                return index;
            }
            progress(requests);
            Thread.yield();
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
