package tutti.runtime.request;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a rank that work for its own ones: one runs what depends on requests, the other pushes generalized requests. Each is made
 * when there is work for it, belongs to the rank like a thread that the program made, and ends when there is no more, or with the rank.
 */
public final class RankHelperThreads implements Executor {
    private static final long IDLE_MILLIS = 20;

    private final RankLifecycle life;
    private final GrequestProgressThread pusher;
    private Crew crew;
    private ThreadPoolExecutor executor;

    RankHelperThreads(final RankLifecycle life) {
        this.life = life;
        this.pusher = new GrequestProgressThread(life, this);
    }

    /** Helpers are made in the image of that thread: in its group, with its context class loader. Called once, at the rank's Init. */
    public synchronized void like(final Thread example) {
        crew = new Crew(example.getThreadGroup(), example.getContextClassLoader(), example.getName());
    }

    /** Whether a thread is a helper of some rank: it may call MPI at every thread level, as it does so for the rank. */
    public static boolean isHelper(final Thread thread) {
        return thread instanceof Helper;
    }

    /** Nothing follows: from now on nothing here holds the rank's classes, whoever holds the rank. What is queued is done. Idempotent. */
    public synchronized void end() {
        crew = null;
        if (executor != null) {
            executor.shutdown();
            executor = null;
        }
    }

    /** Has an action run by the rank's helper, one after the other. Dropped when the rank is ending. */
    @Override
    public synchronized void execute(final Runnable action) {
        if (crew != null && !life.isOver()) {
            if (executor == null) {
                executor = new Worker(crew);
            }
            executor.execute(() -> run(action));
        }
    }

    private static void run(final Runnable action) {
        try {
            action.run();
        } catch (final JobEnded e) {
            // the rank is ending, and nobody waits for what depends on its requests
            return;
        }
    }

    GrequestProgressThread pusher() {
        return pusher;
    }

    /** A thread of the rank that is not started yet. */
    public synchronized Thread thread(final String role, final Runnable work) {
        if (crew == null) {
            throw new JobEnded("the rank has ended");
        }
        return crew.thread(role, work);
    }

    /** What the threads have in common with the rank's own. */
    private record Crew(ThreadGroup group, ClassLoader loader, String name) {
        Thread thread(final String role, final Runnable work) {
            final Thread thread = new Helper(group, work, name + role);
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        }
    }

    /** A thread that is the runtime's, though it runs functions of the program. */
    private static final class Helper extends Thread {
        Helper(final ThreadGroup group, final Runnable work, final String name) {
            super(group, work, name, 0, false);
        }
    }

    /** One thread, which counts as busy while it runs an action, as the rank's own do. */
    private static final class Worker extends ThreadPoolExecutor {
        Worker(final Crew crew) {
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
