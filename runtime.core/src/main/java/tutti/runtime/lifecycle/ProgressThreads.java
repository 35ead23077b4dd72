package tutti.runtime.lifecycle;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.process.owner.JobEndedError;

/**
 * The progress threads of a rank: they poll the operations that were added until these are complete.
 *
 * <p>One thread polls all operations in turn. While no operation completes and none is added it spins, then yields, then sleeps for increasing times
 * of up to a millisecond. With two operations or more a spare thread watches it: when one poll has lasted for a whole tick, the spare polls the
 * other operations from then on. So an operation that blocks holds one thread, there are never more threads than operations, and all others make
 * progress. A thread whose poll returns late is the next spare, or ends. All end with the rank, or after a while without operations.
 *
 * <p><b>Threads.</b> The lock of this object guards all fields but the steps of a thread; no operation is polled under it. An operation that is being
 * polled is not in the queue, so no two threads poll it.
 */
public final class ProgressThreads {
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
    /** Number of consecutive looks for an operation, each with the longest sleep, after which the thread ends. */
    private static final int IDLE_SLEEPS = 10;
    /** Time after which a poll that has not returned counts as blocked, at the latest after two of them. */
    private static final long TICK_NANOS = 5_000_000;

    private final RankLifecycle lifecycle;
    private final RankHelperThreads helpers;
    /** Operations that no thread polls at the moment, the next one first. */
    private final Deque<Polled> queue = new ArrayDeque<>();
    /** Operations that were added and are not known to be complete. */
    private final Set<Polled> listed = Collections.newSetFromMap(new IdentityHashMap<>());
    /** The thread that polls the operations of the queue; null if there is none. */
    private @Nullable Worker polling;
    /** The thread that watches it; null if there is none. */
    private @Nullable Worker spare;
    /** Number of threads in an operation that blocks. */
    private int blocked;

    ProgressThreads(final RankLifecycle lifecycle, final RankHelperThreads helpers) {
        this.lifecycle = lifecycle;
        this.helpers = helpers;
    }

    /** Adds an operation that was started, and starts or wakes the threads that it needs. */
    public synchronized void add(final Polled operation) {
        if (listed.add(operation)) {
            queue.add(operation);
        }
        if (polling == null) {
            polling = start();
        } else {
            LockSupport.unpark(polling.thread);
        }
        if (spare == null && needsSpare()) {
            spare = start();
        }
    }

    /** Has the operations polled soon. */
    public synchronized void wake() {
        if (polling != null) {
            LockSupport.unpark(polling.thread);
        }
    }

    private boolean needsSpare() {
        return listed.size() - blocked > 1;
    }

    private Worker start() {
        final Worker worker = new Worker();
        worker.thread.start();
        return worker;
    }

    private synchronized boolean isPolling(final Worker worker) {
        return polling == worker;
    }

    private synchronized @Nullable Polled take() {
        return queue.poll();
    }

    /** Takes an operation back after a poll. Returns whether it is complete and was not started again. */
    private synchronized boolean putBack(final Worker worker, final Polled operation) {
        worker.unblock();
        if (operation.isDone()) {
            listed.remove(operation);
            return true;
        }
        queue.add(operation);
        return false;
    }

    /** Ends service of the thread that polls, unless there is something to poll. */
    private synchronized boolean retire() {
        if (queue.isEmpty()) {
            polling = null;
        }
        return polling == null;
    }

    /** Gives a thread that does not poll something to do. Returns false if there is nothing. */
    private synchronized boolean isNeeded(final Worker worker) {
        if (polling == null && !queue.isEmpty()) {
            polling = worker;
        }
        if (spare == null && polling != worker) {
            spare = worker;
        }
        if (spare == worker && (polling == worker || !needsSpare())) {
            spare = null;
        }
        return polling == worker || spare == worker;
    }

    /** Returns the number of the poll that the polling thread is in; 0 if it is in none. */
    private synchronized long currentPoll() {
        return polling == null || polling.steps % 2 == 0 ? 0 : polling.steps;
    }

    /** Lets the spare thread poll if the polling thread has been in one poll since the spare looked. */
    private synchronized void replaceIfBlocked(final Worker worker, final long poll) {
        final Worker current = polling;
        if (spare == worker && current != null && poll != 0 && currentPoll() == poll && !queue.isEmpty()) {
            current.block();
            polling = worker;
            spare = needsSpare() ? start() : null;
        }
    }

    /** A thread. */
    private final class Worker implements Runnable {
        private final Thread thread = helpers.thread("-push", this);
        /** Counts the polls that begin and those that end, from a number of its own on; odd within a poll. */
        private long count = 2 * System.nanoTime();
        /** The count, for other threads. */
        private volatile long steps = count;
        /** Whether it does not count as busy, since its operation blocks; guarded by the threads. */
        private boolean isBlocked;

        private void step() {
            count++;
            steps = count;
        }

        private void block() {
            isBlocked = true;
            blocked++;
            CoreOccupancy.leave();
        }

        private void unblock() {
            if (isBlocked) {
                isBlocked = false;
                blocked--;
                CoreOccupancy.enter();
            }
        }

        @Override
        public void run() {
            CoreOccupancy.enter();
            try {
                boolean goesOn = true;
                while (goesOn && !lifecycle.isEnded()) {
                    goesOn = isPolling(this) ? pollInTurn() : standBy();
                }
            } catch (final JobEndedError e) {
                // the rank is ending: nothing is pushed any more
                return;
            } finally {
                synchronized (ProgressThreads.this) {
                    unblock();
                }
                CoreOccupancy.leave();
            }
        }

        /** Polls until this thread is replaced, or nothing is left. Returns false if the thread is not needed any more. */
        private boolean pollInTurn() {
            int idleRounds = 0;
            int emptyRounds = 0;
            int polls = 0;
            while (!lifecycle.isEnded() && isPolling(this)) {
                final Polled operation = take();
                if (operation == null) {
                    if (++emptyRounds > IDLE_SLEEPS && retire()) {
                        return false;
                    }
                    pause(Integer.MAX_VALUE);
                } else {
                    emptyRounds = 0;
                    step();
                    operation.poll();
                    step();
                    if (putBack(this, operation)) {
                        polls = 0;
                        idleRounds = 0;
                    } else if (++polls >= waiting()) {
                        polls = 0;
                        pause(idleRounds++);
                    }
                }
            }
            return true;
        }

        /** Watches the thread that polls for a while. Returns false if there is nothing to watch. */
        private boolean standBy() {
            if (!isNeeded(this)) {
                return false;
            }
            final long poll = currentPoll();
            sleep(TICK_NANOS);
            replaceIfBlocked(this, poll);
            return true;
        }

        private void pause(final int idleRounds) {
            if (idleRounds < SPINS && CoreOccupancy.maySpin()) {
                Thread.onSpinWait();
            } else if (idleRounds < SPINS + YIELDS) {
                Thread.yield();
            } else {
                sleep(Math.min(MAX_SLEEP_NANOS, MIN_SLEEP_NANOS << Math.min(20, (idleRounds - SPINS - YIELDS) / 4)));
            }
        }

        private void sleep(final long nanos) {
            CoreOccupancy.leave();
            LockSupport.parkNanos(ProgressThreads.this, nanos);
            CoreOccupancy.enter();
            if (Thread.interrupted()) {
                // no thread of the rank should interrupt this one, but while interrupted it would not sleep
                lifecycle.check();
            }
        }
    }

    /** Returns the number of operations that no thread polls. */
    private synchronized int waiting() {
        return queue.size();
    }
}
