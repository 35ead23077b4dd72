package tutti.runtime.request;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreMigration;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ProgressMode;

/**
 * Lets a thread wait for requests, as the job's {@link ProgressMode} says. By default, while the machine has idle cores, it spins for 20 µs, then
 * yields between its tries for up to 10 ms, then parks; on a busy machine it makes 20 tries with yields and parks, or 1,000 in a job with links to
 * other nodes. Until it parks it polls the requests, and these links: so a message that it waits for needs no other thread.
 *
 * <p>A yield that takes some microseconds has let another thread run, which gave the core back: likely the one that this thread waits for. While
 * that is so, the thread yields without spinning first. After some such yields it {@linkplain CoreMigration leaves the core}.
 *
 * <p>A yield that comes back late has given the core to a thread that computes, or to very many ranks: each further one would cost a time slice,
 * while a parked thread is woken when its request completes. So the thread then parks sooner, without yielding, and so do its next waits.
 *
 * <p>There is one waiter per thread. The thread that completes a request wakes the waiter that the request names. No completion is lost before
 * parking: the waiting thread sets the request's waiter, marks itself as parked and then reads the request's state; the completing thread sets the
 * state and then reads the waiter and the mark, and all of these accesses are volatile.
 *
 * <p>The thread that wakes another one counts it as busy, in {@link CoreOccupancy}. With more ranks than cores a woken thread waits for a core
 * first: if it counted itself when it runs again, the threads that run would find idle cores and spin, and keep it from running.
 */
final class Waiter {
    private static final ThreadLocal<Waiter> CURRENT = ThreadLocal.withInitial(Waiter::new);
    /** Number of spins between polls of the links that need a system call each. */
    private static final int SPINS = 8;
    /** Time for which a thread looks without a pause between its looks, which may take as long as a message of a neighbour. */
    private static final long PAUSE_NANOS = 2_000;
    /** Time for which a thread spins without giving way to others, after the last message of another node. */
    private static final long SPIN_NANOS = 20_000;
    /** Time without a message after which a thread parks: longer than threads take to wake up, so that ranks do not keep each other parking. */
    private static final long PARK_NANOS = 10_000_000;
    /**
     * The same for a thread that does not yield and waits for threads of this process only: these may share its core, and run only when it parks. To
     * wait for a message of another node it parks later, as it is then woken by way of the I/O thread.
     */
    private static final long LOCAL_PARK_NANOS = 50_000;
    private static final int TRIES = 20;
    /** The same for a thread that other JVMs may wake, which takes two switches of threads and a system call more than a wake-up in this JVM. */
    private static final int LINKED_TRIES = 1_000;
    private static final long LATE_NANOS = 500_000;
    /** A yield takes longer only when another thread has run on the core: alone it takes 0.2 to 0.4 µs, with another thread 1.4 µs and more. */
    private static final long ALONE_NANOS = 800;
    private static final int WAITS_WITHOUT_YIELD = 100;
    /** Number of yields to a thread that shares the core after which this thread leaves the core. */
    private static final int SHARED_YIELDS = 8;
    /** A yield that comes back late within this time after the thread has left a core shows that the new core is busy. */
    private static final long NEW_CORE_NANOS = 10_000_000;
    /** Time for which a thread then stays on its core: at first, and at most, as it doubles each time. */
    private static final long MIN_STAY_NANOS = 10_000_000;
    private static final long MAX_STAY_NANOS = 1_000_000_000;
    /** Spinning of this time is told to those who ask what the rank does. */
    private static final long TOLD_NANOS = 50_000_000;

    private final Thread thread = Thread.currentThread();
    /** Set for a worker of a pool, which can replace the thread while it is parked. */
    private final boolean isPooled = thread instanceof ForkJoinWorkerThread;
    /** Set while the thread is parked, or about to be, and does not count as busy. */
    private final AtomicBoolean parked = new AtomicBoolean();
    private int waitsWithoutYield;
    /** Set while another thread shares the core and gives it back soon: likely the one that this thread waits for. */
    private boolean sharesCore;
    private int sharedYields;
    private long stayUntil = System.nanoTime();
    private long stayNanos = MIN_STAY_NANOS;
    private long leftAt = stayUntil - NEW_CORE_NANOS;
    /** The core to which the thread has moved: the system may have moved it since, when it was woken. */
    private int movedTo;

    private Waiter() {}

    static Waiter current() {
        return CURRENT.get();
    }

    /** Wakes the thread if it is parked. */
    void wake() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            CoreOccupancy.enter();
            LockSupport.unpark(thread);
        }
    }

    /** Marks the thread as parked. It must look once more for what it waits for before it parks, each time. */
    private void mark() {
        if (!parked.getAndSet(true)) {
            CoreOccupancy.leave();
        }
    }

    private void unmark() {
        if (parked.getAndSet(false)) {
            CoreOccupancy.enter();
        }
    }

    /** Waits until the request is done. */
    void await(final Request request) {
        await(request, 0);
    }

    /**
     * Waits until the request is done or the time is over.
     *
     * @param end value of {@link System#nanoTime} at which the wait ends; 0 for none
     * @return whether the request is done
     */
    boolean await(final Request request, final long end) {
        final RankLifecycle lifecycle = request.lifecycle;
        final ProgressMode mode = lifecycle.progress();
        if (mode != ProgressMode.PARK && poll(request, mode, end)) {
            return true;
        }
        request.waiter = this;
        lifecycle.parking();
        request.parking();
        lifecycle.network().parking();
        try {
            if (isPooled) {
                block(() -> park(request, end));
            }
            return park(request, end);
        } finally {
            unmark();
            lifecycle.unparked();
            lifecycle.network().unparked();
            request.waiter = null;
        }
    }

    private boolean park(final Request request, final long end) {
        for (mark(); !request.isDone(); mark()) {
            request.checkLifecycle();
            if (end == 0) {
                LockSupport.park(request);
            } else {
                final long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(request, left);
            }
        }
        return true;
    }

    /**
     * Parks a worker of a pool that replaces it meanwhile: ranks may share the pool, and the task that another one waits for may be queued behind
     * this one.
     */
    private static void block(final Runnable park) {
        final PooledWait wait = new PooledWait(park);
        try {
            ForkJoinPool.managedBlock(wait);
        } catch (final RejectedExecutionException e) {
            // the pool has as many replacements as it may have
            wait.block();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A wait of a worker of a pool. */
    private static final class PooledWait implements ForkJoinPool.ManagedBlocker {
        private final Runnable park;
        private boolean isOver;

        PooledWait(final Runnable park) {
            this.park = park;
        }

        @Override
        public boolean block() {
            park.run();
            isOver = true;
            return true;
        }

        @Override
        public boolean isReleasable() {
            return isOver;
        }
    }

    /**
     * Polls the request and the links, spinning and then yielding. Returns whether the request is done; false means that the thread should park.
     */
    private boolean poll(final Request request, final ProgressMode mode, final long end) {
        final MessagePolling network = request.lifecycle.network();
        if (mode == ProgressMode.ADAPTIVE && !CoreOccupancy.maySpin()) {
            return pollAndYield(request, network);
        }
        network.begin();
        try {
            if (mode == ProgressMode.SPIN ? spinAlways(request, network, end) : spin(request, network, mode, end)) {
                return true;
            }
        } finally {
            network.end();
        }
        // more threads are busy by now than there are cores
        return mode == ProgressMode.ADAPTIVE && !CoreOccupancy.maySpin() && pollAndYield(request, network);
    }

    /** Spins in a mode that never parks; one that takes long is told as if the thread had parked, for those who ask what the rank does. */
    private boolean spinAlways(final Request request, final MessagePolling network, final long end) {
        try {
            return spin(request, network, ProgressMode.SPIN, end);
        } finally {
            if (LockSupport.getBlocker(thread) == request) {
                LockSupport.setCurrentBlocker(null);
                request.lifecycle.unparked();
            }
        }
    }

    private boolean spin(final Request request, final MessagePolling network, final ProgressMode mode, final long end) {
        final long parkWithoutYield = network.hasLinks() ? LATE_NANOS : LOCAL_PARK_NANOS;
        long start = 0;
        boolean pauses = false;
        boolean yields = mayYield();
        while (true) {
            boolean any = false;
            for (int i = 0; i < SPINS; i++) {
                request.poll();
                if (request.isDone()) {
                    return true;
                }
                if (network.pollMemory()) {
                    any = true;
                } else if (pauses) {
                    Thread.onSpinWait();
                }
            }
            any |= network.poll();
            final long now = System.nanoTime();
            if (end != 0 && now - end >= 0) {
                return request.isDone();
            }
            pauses = start != 0 && now - start > PAUSE_NANOS;
            if (start == 0 || any) {
                start = now;
                request.checkLifecycle();
            } else if (sharesCore || now - start > SPIN_NANOS) {
                if (mode == ProgressMode.SPIN) {
                    request.checkLifecycle();
                    if (now - start > TOLD_NANOS && LockSupport.getBlocker(thread) == null) {
                        LockSupport.setCurrentBlocker(request);
                        request.lifecycle.parking();
                    }
                } else if (now - start > (yields ? PARK_NANOS : parkWithoutYield) || !CoreOccupancy.maySpin()) {
                    return request.isDone();
                }
                yields = yields && yieldsInTime();
                if (sharesCore && ++sharedYields == SHARED_YIELDS) {
                    leaveCore();
                }
            }
        }
    }

    private boolean pollAndYield(final Request request, final MessagePolling network) {
        boolean yields = mayYield();
        for (int i = tries(network); i > 0; i--) {
            request.pollShared();
            if (request.isDone()) {
                return true;
            }
            network.poll();
            if (!yields) {
                break; // without a yield further tries would only keep others from running
            }
            yields = yieldsInTime();
        }
        return request.isDone();
    }

    private static int tries(final MessagePolling network) {
        return network.hasLinks() ? LINKED_TRIES : TRIES;
    }

    /** Returns whether this wait may yield, and counts the wait. */
    private boolean mayYield() {
        if (waitsWithoutYield == 0) {
            return true;
        }
        waitsWithoutYield--;
        return false;
    }

    /** Yields the core, and returns whether the thread had it back soon. */
    boolean yieldsInTime() {
        final long before = System.nanoTime();
        Thread.yield();
        final long nanos = System.nanoTime() - before;
        sharesCore = nanos > ALONE_NANOS && nanos < LATE_NANOS;
        if (nanos < LATE_NANOS) {
            return true;
        }
        waitsWithoutYield = WAITS_WITHOUT_YIELD;
        if (before - leftAt < NEW_CORE_NANOS && CoreMigration.core() == movedTo) {
            stayUntil = before + stayNanos;
            stayNanos = Math.min(2 * stayNanos, MAX_STAY_NANOS);
        }
        return false;
    }

    private void leaveCore() {
        sharedYields = 0;
        final long now = System.nanoTime();
        if (now - stayUntil >= 0) {
            if (now - stayUntil > MAX_STAY_NANOS) {
                stayNanos = MIN_STAY_NANOS;
            }
            leftAt = now;
            sharesCore = false;
            movedTo = CoreMigration.leaveCore();
        }
    }

    /** Waits for one of the requests, and returns the index of the first complete one. Skips nulls; at least one request is not null. */
    int awaitAny(final @Nullable Request[] requests, final RankLifecycle lifecycle) {
        final MessagePolling network = lifecycle.network();
        boolean yields = mayYield();
        for (int i = tries(network); i > 0; i--) {
            final int index = firstDone(requests);
            if (index >= 0) {
                return index;
            }
            network.poll();
            if (!yields) {
                break;
            }
            yields = yieldsInTime();
        }
        for (final Request r : requests) {
            if (r != null) {
                r.waiter = this;
            }
        }
        lifecycle.parking();
        network.parking();
        try {
            if (isPooled) {
                block(() -> park(requests));
            }
            return park(requests);
        } finally {
            unmark();
            lifecycle.unparked();
            network.unparked();
            for (final Request r : requests) {
                if (r != null) {
                    r.waiter = null;
                }
            }
        }
    }

    private int park(final @Nullable Request[] requests) {
        mark();
        int index = firstDone(requests);
        while (index < 0) {
            checkLifecycle(requests);
            LockSupport.park(requests);
            mark();
            index = firstDone(requests);
        }
        return index;
    }

    private static void checkLifecycle(final @Nullable Request[] requests) {
        for (final Request r : requests) {
            if (r != null) {
                r.checkLifecycle();
            }
        }
    }

    private static int firstDone(final @Nullable Request[] requests) {
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] != null && requests[i].isDone()) {
                return i;
            }
        }
        return -1;
    }
}
