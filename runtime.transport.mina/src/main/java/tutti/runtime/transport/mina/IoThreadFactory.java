package tutti.runtime.transport.mina;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs each task of MINA on a daemon thread of its own, which keeps nothing of the caller: its context class loader is this bundle's.
 *
 * <p>MINA renames the threads it runs on, so its loops call {@link #restoreName} to restore their name.
 *
 * <p><b>Threads.</b> Safe for any thread: the set of threads is concurrent, and holds a thread from before its start until its task has ended. Only
 * {@link #join} waits.
 */
final class IoThreadFactory implements Executor {
    private final String name;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    IoThreadFactory(final String name) {
        this.name = name;
    }

    @Override
    public void execute(final Runnable task) {
        Thread thread = Thread.ofPlatform().daemon().name(name).inheritInheritableThreadLocals(false).unstarted(() -> run(task));
        thread.setContextClassLoader(IoThreadFactory.class.getClassLoader());
        threads.add(thread);
        thread.start();
    }

    private void run(final Runnable task) {
        try {
            task.run();
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    /** Restores the name of the current thread. */
    void restoreName() {
        Thread.currentThread().setName(name);
    }

    /** Returns whether the current thread is one of these threads. */
    boolean ownsCurrent() {
        return threads.contains(Thread.currentThread());
    }

    /** Waits until the threads have ended, at most {@code millis} for each; preserves the caller's interrupt status. */
    void join(final long millis) {
        for (Thread thread : threads) {
            if (thread == Thread.currentThread()) {
                continue;
            }
            try {
                thread.join(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
