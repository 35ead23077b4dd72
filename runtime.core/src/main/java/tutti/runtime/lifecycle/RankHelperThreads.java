package tutti.runtime.lifecycle;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.process.owner.JobEndedError;

/**
 * The helper threads of a rank: one runs the actions that depend on requests, {@link ProgressThreads} poll operations, and {@link #thread}
 * creates others.
 *
 * <p>They are started when there is work for them and end when there is none, or with the rank. Every helper belongs to the rank like a
 * thread that the program started.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards all fields, and is not held while an action runs. Actions run on one thread,
 * in the order in which they were submitted.
 */
public final class RankHelperThreads implements Executor {
    private static final long IDLE_MILLIS = 20;

    private final RankLifecycle lifecycle;
    private final ProgressThreads progressThreads;
    /** Null before Init, and after the end of the rank. */
    private @Nullable ThreadAttributes attributes;
    private @Nullable ThreadPoolExecutor executor;

    RankHelperThreads(final RankLifecycle lifecycle) {
        this.lifecycle = lifecycle;
        this.progressThreads = new ProgressThreads(lifecycle, this);
    }

    /** Takes the thread group, the context class loader and the name of helpers from a thread. Called once, at the rank's Init. */
    public synchronized void inheritFrom(final Thread example) {
        attributes = new ThreadAttributes(example.getThreadGroup(), example.getContextClassLoader(), example.getName());
    }

    /** Returns whether a thread is a helper of a rank. A helper may call MPI at every thread level, since it does so for the rank. */
    public static boolean isHelper(final Thread thread) {
        return thread instanceof HelperThread;
    }

    /** Shuts down and drops all references to the rank's class loader. Queued actions are still run. Idempotent. */
    public synchronized void end() {
        attributes = null;
        if (executor != null) {
            executor.shutdown();
            executor = null;
        }
    }

    /** Runs an action on the helper thread of the rank, one action after the other. Does nothing when the rank is ending. */
    @Override
    public synchronized void execute(final Runnable action) {
        if (attributes != null && !lifecycle.isEnded()) {
            if (executor == null) {
                executor = new ActionExecutor(attributes);
            }
            executor.execute(() -> run(action));
        }
    }

    private static void run(final Runnable action) {
        try {
            action.run();
        } catch (final JobEndedError e) {
            // the rank is ending, and no thread waits for actions that depend on its requests
            return;
        }
    }

    /** Returns the threads that poll operations. */
    public ProgressThreads progressThreads() {
        return progressThreads;
    }

    /**
     * Creates a helper thread of the rank and does not start it.
     *
     * @param role suffix of its name
     * @throws JobEndedError when the helpers were shut down
     */
    public synchronized Thread thread(final String role, final Runnable work) {
        if (attributes == null) {
            throw new JobEndedError("the rank has ended");
        }
        return attributes.thread(role, work);
    }

    /** Attributes that the helper threads take from the rank's own threads. */
    private record ThreadAttributes(ThreadGroup group, ClassLoader loader, String name) {
        Thread thread(final String role, final Runnable work) {
            final Thread thread = new HelperThread(group, work, name + role);
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        }
    }

    /** A thread that belongs to the runtime, though it runs functions of the program. */
    private static final class HelperThread extends Thread {
        HelperThread(final ThreadGroup group, final Runnable work, final String name) {
            super(group, work, name, 0, false);
        }
    }

    /** A single thread, which counts as busy while it runs an action, like the rank's own threads. */
    private static final class ActionExecutor extends ThreadPoolExecutor {
        ActionExecutor(final ThreadAttributes crew) {
            super(1, 1, IDLE_MILLIS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> crew.thread("-then", task), new DiscardPolicy());
            allowCoreThreadTimeOut(true);
        }

        @Override
        protected void beforeExecute(final Thread thread, final Runnable action) {
            CoreOccupancy.enter();
        }

        @Override
        protected void afterExecute(final Runnable action, final Throwable thrown) {
            CoreOccupancy.leave();
        }
    }
}
