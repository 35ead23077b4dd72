package tutti.runtime.lifecycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.process.owner.JobEndedError;

/**
 * Progress thread of a rank: polls the operations that were added, in turn, until they are complete.
 *
 * <p>While no operation completes and none is added it spins, then yields, then sleeps for increasing times of up to a millisecond. The thread is
 * started when an operation is added and ends after a while without operations.
 *
 * <p><b>Threads.</b> The lock of this object guards the lists of added and listed operations and the reference to the thread; no operation is polled
 * under it. The list of active operations belongs to the thread.
 */
public final class ProgressThread implements Runnable {
    /** An operation that makes progress only when it is polled. */
    public interface Polled {
        /** Makes progress; does nothing when another thread does. */
        void poll();

        /** Returns whether the operation is complete. */
        boolean isDone();
    }

    private static final int SPINS = 1_000;
    private static final int YIELDS = 50;
    private static final long MIN_SLEEP_NANOS = 2_000;
    private static final long MAX_SLEEP_NANOS = 1_000_000;
    /** Number of consecutive rounds without an operation, each with the longest sleep, after which the thread ends. */
    private static final int IDLE_SLEEPS = 10;

    private final RankLifecycle lifecycle;
    private final RankHelperThreads helpers;
    /** Operations that were added since the thread last collected them. */
    private final List<Polled> added = new ArrayList<>();
    /** Operations that were added and not dropped. */
    private final Set<Polled> listed = Collections.newSetFromMap(new IdentityHashMap<>());
    private Thread thread;

    ProgressThread(final RankLifecycle lifecycle, final RankHelperThreads helpers) {
        this.lifecycle = lifecycle;
        this.helpers = helpers;
    }

    /** Adds an operation that was started, and starts or wakes the thread. */
    public synchronized void add(final Polled operation) {
        if (listed.add(operation)) {
            added.add(operation);
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
        final List<Polled> active = new ArrayList<>();
        int idleRounds = 0;
        int emptyRounds = 0;
        while (!lifecycle.isEnded()) {
            boolean progressed = collect(active);
            for (int i = active.size() - 1; i >= 0; i--) {
                final Polled operation = active.get(i);
                operation.poll();
                if (operation.isDone() && drop(operation)) {
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

    private synchronized boolean collect(final List<Polled> active) {
        final boolean any = !added.isEmpty();
        active.addAll(added);
        added.clear();
        return any;
    }

    /** Removes a complete operation from the list, unless it was started again in the meantime; returns whether it was removed. */
    private synchronized boolean drop(final Polled operation) {
        return operation.isDone() && listed.remove(operation);
    }

    private synchronized boolean endIfIdle() {
        if (added.isEmpty()) {
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
