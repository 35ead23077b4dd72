package tutti.runtime.process;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.stop.ThreadGroups;

/**
 * Carries out the end of a rank: runs its shutdown hooks, ends its threads, closes what it left open and completes its output, in that order. Each
 * but closing has a time limit.
 *
 * <p>Runs on a thread that does not belong to the rank. The thread is started before the rank, because starting a thread takes long on a
 * machine that is full of runaway threads.
 */
final class RankShutdown implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RankShutdown.class);
    private static final long HOOKS_MILLIS = 2_000;
    private static final long HOOKS_MILLIS_CANCELLED = 500;
    private static final long OUTPUT_MILLIS = 1_000;
    /** The time to wait for the main thread after it has decided the outcome; it has almost nothing left to do. */
    private static final long MAIN_MILLIS = 1_000;
    private static final int LATE_TRIES = 60;
    private static final long LATE_TRY_MILLIS = 1_000;
    /** The number of late tries after which a thread is one that cannot be stopped. */
    private static final int REMAINING_TRIES = 3;

    private final RankProcess process;
    private final String name;

    RankShutdown(final RankProcess process) {
        this.process = process;
        this.name = "job=" + process.program().job() + ", rank=" + process.program().rank();
    }

    /** Creates the thread for this task. It inherits nothing from the calling thread, which may belong to another rank. */
    Thread thread() {
        final Thread thread = Thread.ofPlatform().group(ThreadGroups.root()).daemon(true).name(process.program().threadName() + "-end")
            .inheritInheritableThreadLocals(false).priority(Thread.NORM_PRIORITY).unstarted(this);
        thread.setContextClassLoader(RankShutdown.class.getClassLoader());
        return thread;
    }

    @Override
    public void run() {
        try {
            final RankProcess.Decision decision = process.awaitDecision();
            List<Thread> left = List.of();
            try {
                left = end(decision);
            } catch (final RuntimeException e) {
                LOG.error("shutdown of a rank failed: {}", name, e);
            } finally {
                process.completeEnd();
            }
            stopLate(left);
        } catch (final InterruptedException e) {
            LOG.warn("shutdown of a rank was interrupted: {}", name);
            Thread.currentThread().interrupt();
        }
    }

    private List<Thread> end(final RankProcess.Decision decision) throws InterruptedException {
        final RankOutcome outcome = decision.outcome();
        final List<Thread> shutdownHooks = process.shutdownHooks().close();
        if (decision.runHooks()) {
            runHooks(shutdownHooks, outcome.kind() == Kind.CANCELLED ? HOOKS_MILLIS_CANCELLED : HOOKS_MILLIS);
        }
        process.console().refuse();
        if (outcome.kind() == Kind.RETURNED || outcome.kind() == Kind.FAILED || outcome.kind() == Kind.PEER_FAILED) {
            process.joinMain(MAIN_MILLIS);
        }
        final List<Thread> left = new ThreadTerminator(process).end(outcome.kind() == Kind.CANCELLED ? outcome.text()
            : "the rank has ended: " + name);
        report(left);
        process.resources().close();
        if (!process.console().finish(OUTPUT_MILLIS)) {
            LOG.warn("output of a rank is incomplete, because the receiver did not accept it: {}", name);
        }
        return left;
    }

    private void runHooks(final List<Thread> shutdownHooks, final long limit) throws InterruptedException {
        for (final Thread hook : shutdownHooks) {
            try {
                hook.start();
            } catch (final IllegalThreadStateException e) {
                LOG.warn("shutdown hook of a rank was started by the program: {}, thread={}", name, hook.getName());
            }
        }
        if (!ThreadTerminator.await(shutdownHooks, limit)) {
            LOG.warn("shutdown hooks of a rank did not end in time: {}, limit={} ms", name, limit);
        }
    }

    private void report(final List<Thread> left) {
        for (final Thread thread : left) {
            thread.setPriority(Thread.MIN_PRIORITY);
        }
        if (!left.isEmpty()) {
            final Thread first = left.getFirst();
            final StackTraceElement[] stack = first.getStackTrace();
            LOG.error("threads of a rank cannot be stopped and are left behind: {}, threads={}, first={}, state={}, at={}", name, left.size(),
                first.getName(), first.getState(), stack.length == 0 ? "?" : stack[0]);
        }
    }

    /** Retries to stop threads that could not be stopped; a retry succeeds once the obstacle is gone. */
    private void stopLate(final List<Thread> threads) throws InterruptedException {
        List<Thread> left = threads;
        for (int i = 0; i < LATE_TRIES && !left.isEmpty(); i++) {
            TimeUnit.MILLISECONDS.sleep(LATE_TRY_MILLIS);
            left = left.stream().filter(Thread::isAlive).toList();
            if (i == REMAINING_TRIES) {
                RemainingThreads.add(process.program().job(), process.program().rank(), left);
            }
            ThreadTerminator.stopAgain(left);
        }
    }
}
