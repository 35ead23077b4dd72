package tutti.runtime.request;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits for requests: it spins while cores are idle, then yields, then parks. Until it parks it {@linkplain Request#poll polls} a
 * request that it waits for.
 *
 * <p>One per thread. Whoever completes a request wakes the waiter that the request names; parking is safe against a completion in between
 * because the request's waiter is set before its state is looked at again, both with full fences, and completed the other way round.
 */
final class Waiter {
    private static final ThreadLocal<Waiter> CURRENT = ThreadLocal.withInitial(Waiter::new);
    private static final int SPINS = 2_000;
    private static final int YIELDS = 20;

    private final Thread thread = Thread.currentThread();

    private Waiter() { }

    static Waiter current() {
        return CURRENT.get();
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    void await(final Request request) {
        if (briefly(request)) {
            return;
        }
        request.waiter = this;
        request.parking();
        CoreOccupancy.leave();
        try {
            while (!request.isDone()) {
                request.life.check();
                LockSupport.park(request);
            }
        } finally {
            CoreOccupancy.enter();
            request.waiter = null;
        }
    }

    private static boolean briefly(final Request request) {
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

    /** The index of the first request that is complete, waiting for one; nulls are skipped, and there is at least one request. */
    int awaitAny(final Request[] requests) {
        for (int i = 0; i < YIELDS; i++) {
            final int index = firstDone(requests);
            if (index >= 0) {
                return index;
            }
            help(requests);
            Thread.yield();
        }
        RankLifecycle life = null;
        for (final Request r : requests) {
            if (r != null) {
                r.waiter = this;
                life = r.life;
            }
        }
        CoreOccupancy.leave();
        try {
            int index = firstDone(requests);
            while (index < 0) {
                life.check();
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

    private static void help(final Request[] requests) {
        for (final Request r : requests) {
            if (r != null) {
                r.help();
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
