package tutti.runtime.program;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.job.RankEnd;
import tutti.runtime.job.RankEnd.Kind;

/**
 * Carries out the end of a rank, on a thread that is not the rank's: shutdown hooks, threads, output, in that order, each within bounds.
 */
final class RankReaper implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RankReaper.class);
    private static final long HOOKS_MILLIS = 2_000;
    private static final long HOOKS_MILLIS_CANCELLED = 500;
    private static final long OUTPUT_MILLIS = 1_000;
    /** The main thread that has just decided how the rank ends has next to nothing left to do. */
    private static final long MAIN_MILLIS = 1_000;

    private final RankProcess process;
    private final RankEnd end;
    private final boolean runHooks;

    RankReaper(final RankProcess process, final RankEnd end, final boolean runHooks) {
        this.process = process;
        this.end = end;
        this.runHooks = runHooks;
    }

    /** The thread to run it on. It inherits nothing from the thread that asks, which is often one of the rank's. */
    Thread thread() {
        final Thread thread = Thread.ofPlatform().group(RankGroup.root()).daemon(true).name(process.program().threadName() + "-end")
            .inheritInheritableThreadLocals(false).priority(Thread.NORM_PRIORITY).unstarted(this);
        thread.setContextClassLoader(RankReaper.class.getClassLoader());
        return thread;
    }

    @Override
    public void run() {
        try {
            final List<Thread> shutdownHooks = process.shutdownHooks().close();
            if (runHooks) {
                runHooks(shutdownHooks);
            }
            process.console().refuse();
            endThreads();
            if (!process.console().finish(OUTPUT_MILLIS)) {
                LOG.warn("output of a rank is incomplete, since it is not taken: {}", name());
            }
        } catch (final InterruptedException e) {
            LOG.warn("the end of a rank was interrupted: {}", name());
            Thread.currentThread().interrupt();
        } catch (final Throwable e) {
            LOG.error("the end of a rank failed: {}", name(), e);
        } finally {
            process.reaped(end);
        }
    }

    private void runHooks(final List<Thread> shutdownHooks) throws InterruptedException {
        for (final Thread hook : shutdownHooks) {
            hook.start();
        }
        final long limit = end.kind() == Kind.CANCELLED ? HOOKS_MILLIS_CANCELLED : HOOKS_MILLIS;
        if (!ThreadEnder.await(shutdownHooks, limit)) {
            LOG.warn("shutdown hooks of a rank did not end in time: {}, limit={} ms", name(), limit);
        }
    }

    private void endThreads() throws InterruptedException {
        final Thread main = process.mainThread();
        if (main != Thread.currentThread() && (end.kind() == Kind.RETURNED || end.kind() == Kind.FAILED)) {
            main.join(MAIN_MILLIS);
        }
        final List<Thread> left = new ThreadEnder(process).end(end.kind() == Kind.CANCELLED ? end.text() : "the rank has ended: " + name());
        for (final Thread thread : left) {
            thread.setPriority(Thread.MIN_PRIORITY);
            final StackTraceElement[] stack = thread.getStackTrace();
            LOG.error("thread of a rank cannot be stopped and is left behind: {}, thread={}, state={}, at={}", name(), thread.getName(),
                thread.getState(), stack.length == 0 ? "?" : stack[0]);
        }
    }

    private String name() {
        return "job=" + process.program().job() + ", rank=" + process.program().rank();
    }
}
