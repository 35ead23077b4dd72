package tutti.runtime.process;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.process.owner.JobEndedError;

/**
 * Blocks threads whose rank has ended, as the end of a process ends its threads: without unwinding them, so that neither {@code catch} nor
 * {@code finally} runs. They end with the JVM.
 */
final class EndedThread {
    private static final EndedBlocker BLOCKER = new EndedBlocker();

    private EndedThread() {}

    /**
     * Blocks the current thread for ever. A worker of the common pool, which ranks share, is replaced meanwhile.
     *
     * @throws JobEndedError on another thread that belongs to no rank: it serves all of them
     */
    static void block() {
        final Thread thread = Thread.currentThread();
        if (CurrentRank.of(thread) != null) {
            BLOCKER.block();
        }
        if (!(thread instanceof ForkJoinWorkerThread)) {
            throw new JobEndedError("the rank has ended");
        }
        try {
            ForkJoinPool.managedBlock(BLOCKER);
        } catch (final InterruptedException | RuntimeException e) {
            // no thread can replace it
            BLOCKER.block();
        }
    }

    /** Blocks the current thread for ever if it belongs to a rank; a thread that ranks share goes on. */
    static void blockIfOfRank() {
        if (CurrentRank.of(Thread.currentThread()) != null) {
            block();
        }
    }

    /** Returns whether a thread is blocked for ever. */
    static boolean isBlocked(final Thread thread) {
        return LockSupport.getBlocker(thread) == BLOCKER;
    }

    /** Parks the current thread again and again; also tells what it is parked for. */
    private static final class EndedBlocker implements ManagedBlocker {
        @Override
        public boolean block() {
            while (true) {
                LockSupport.park(this);
                // a thread that is interrupted does not park
                Thread.interrupted();
            }
        }

        @Override
        public boolean isReleasable() {
            return false;
        }
    }
}
