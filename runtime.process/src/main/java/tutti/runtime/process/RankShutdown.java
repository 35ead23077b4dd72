package tutti.runtime.process;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.jdk.ThreadGroups;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;

/**
 * Carries out the end of a rank: runs its shutdown hooks, deletes the files that it wanted deleted, interrupts its threads and completes its output,
 * in that order. As in a JVM, hooks may take their time, and output waits for its receiver, until the job is ended. From then on, or from the end of
 * the rank, each step has a limit. Threads that are alive then are left, and those that do not wait are logged: the JVM ends with the job.
 *
 * <p>Runs on a thread that does not belong to the rank. The thread is started before the rank, because starting a thread takes long on a
 * machine that is full of runaway threads.
 */
final class RankShutdown implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RankShutdown.class);
    /** How often a wait looks whether the job was ended, and how many looks later it says that it goes on. */
    private static final long LOOK_MILLIS = 50;
    private static final int LOOKS = 200;
    /** Limits of hooks and output after the job was ended. */
    private static final long HOOKS_MILLIS = 500;
    private static final long OUTPUT_MILLIS = 1_000;
    /** Limits of interrupted threads, which are logged when they go on. */
    private static final long THREADS_MILLIS = 200;
    private static final long THREADS_MILLIS_CANCELLED = 3_000;
    /** How long the main thread may go on before it is interrupted: the rank has ended, for an error on another thread perhaps. */
    private static final long MAIN_MILLIS = 1_000;

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
            try {
                end(decision);
            } catch (final RuntimeException e) {
                // Cause: an internal error, whose stack follows. Remedy: report it.
                LOG.error("shutdown of a rank failed: {}", name, e);
            } finally {
                process.completeEnd();
            }
        } catch (final InterruptedException e) {
            // Cause: the node stops while the rank ends.
            LOG.warn("shutdown of a rank was interrupted: {}", name);
            Thread.currentThread().interrupt();
        }
    }

    private void end(final RankProcess.Decision decision) throws InterruptedException {
        final RankOutcome outcome = decision.outcome();
        final boolean isCancelled = outcome.kind() == Kind.CANCELLED;
        final List<Thread> shutdownHooks = new ArrayList<>(process.shutdownHooks().close());
        shutdownHooks.addAll(JvmShutdownHooks.take(process));
        if (decision.runHooks()) {
            runHooks(shutdownHooks);
            process.files().delete();
        }
        process.console().refuse();
        if (outcome.kind() == Kind.RETURNED || outcome.kind() == Kind.FAILED || outcome.kind() == Kind.PEER_FAILED) {
            process.awaitMain(MAIN_MILLIS);
        }
        endThreads(isCancelled ? outcome.text() : "the rank has ended: " + name, isCancelled ? THREADS_MILLIS_CANCELLED : THREADS_MILLIS);
        if (!await("output of a rank waits for its receiver", process.console()::finish, OUTPUT_MILLIS)) {
            // Cause: the job was ended, and the command that has started it does not read, or is gone. Remedy: let it read.
            LOG.warn("output of a rank is incomplete, because the receiver did not accept it: {}", name);
        }
    }

    /** What a rank waits for at its end. */
    @FunctionalInterface
    private interface Wait {
        /** Waits that long at most; returns whether the wait is over. */
        boolean await(long millis) throws InterruptedException;
    }

    /** Waits until the job is ended, and then up to a limit; returns whether the wait is over. */
    private boolean await(final String what, final Wait wait, final long limit) throws InterruptedException {
        for (int looks = 1; !process.isTerminated(); looks++) {
            if (wait.await(LOOK_MILLIS)) {
                return true;
            }
            if (looks % LOOKS == 0) {
                LOG.info("{}: {}", what, name);
            }
        }
        return wait.await(limit);
    }

    private void runHooks(final List<Thread> shutdownHooks) throws InterruptedException {
        for (final Thread hook : shutdownHooks) {
            try {
                hook.start();
            } catch (final IllegalThreadStateException e) {
                // Cause: the program starts a hook itself, which then does not run at the end. Remedy: correct the program.
                LOG.warn("shutdown hook of a rank was started by the program: {}, thread={}", name, hook.getName());
            }
        }
        if (!await("rank waits for its shutdown hooks", millis -> RankThreads.await(shutdownHooks, millis), HOOKS_MILLIS)) {
            // Cause: the job was ended, and a hook of the program goes on. Remedy: correct the program.
            LOG.warn("shutdown hooks of a rank did not end in time: {}, limit={} ms", name, HOOKS_MILLIS);
        }
    }

    private void endThreads(final String reason, final long limit) throws InterruptedException {
        final List<Thread> found = RankThreads.running(RankThreads.of(process));
        if (found.isEmpty()) {
            return;
        }
        for (final Thread thread : found) {
            thread.interrupt();
            LockSupport.unpark(thread);
        }
        process.hooks().wake(reason);
        RankThreads.await(found, limit);
        final List<Thread> left = RankThreads.running(RankThreads.of(process));
        // idle workers of an executor are usual, and cost nothing
        final List<Thread> busy = left.stream().filter(t -> t.getState() == State.RUNNABLE || t.getState() == State.BLOCKED).toList();
        if (!busy.isEmpty()) {
            final Thread first = busy.getFirst();
            // Cause: threads of the program go on although they were interrupted: they compute, or wait in native code or for a lock. Remedy:
            // nothing: the JVM ends with its job.
            LOG.warn("threads of a rank have not ended and are left to the end of this JVM: {}, threads={}, first={}, state={}, at={}", name,
                busy.size(), first.getName(), first.getState(), at(first));
        }
    }

    /** Returns the innermost method of a thread, as text. */
    private static String at(final Thread thread) {
        final StackTraceElement[] stack = thread.getStackTrace();
        return stack.length == 0 ? "?" : stack[0].toString();
    }
}
