package tutti.runtime.process;

import java.io.InputStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.owner.RankOutput;
import tutti.runtime.process.owner.RankProgram;

/**
 * A rank as a process within the JVM: runs a program on threads of its own, and ends it whatever the program does.
 *
 * <p>The first of these events decides the outcome: {@code main} returned and no other non-daemon thread of the rank is alive; {@code main}
 * threw an exception; the program called {@code System.exit} or {@code Runtime.halt}; {@link #abort}, {@link #fail} or {@link #terminate} was called.
 * Then the shutdown hooks run where the event allows it, the rank's threads are interrupted, its output is completed, and {@link #ended} completes.
 * From then on this object has no reference to the rank's loader.
 *
 * <p>A thread of the rank that ends it does not return and is not unwound: it waits for ever. Such threads, and those that do not end when they are
 * interrupted, keep the rank's classes until the owner of the JVM ends it; {@link LeftThreads} tells of the latter.
 *
 * <p>{@link RankStreams} must be installed while ranks run. Safe for any thread.
 *
 * <p><b>Threads.</b> One atomic step decides the outcome; a latch then releases the {@link RankShutdown}, whose thread does the rest. The lock of
 * this object orders the start of the threads and the end, where the volatile references are dropped. Only the methods whose names begin with {@code
 * await} or {@code join} wait.
 */
public final class RankProcess {
    private static final int FAILURE = 1;

    private final RankProgram program;
    private final RankHooks hooks;
    private final RankThreadGroup group;
    private final RankConsole console;
    private final RankProperties properties;
    private final ShutdownHooks shutdownHooks = new ShutdownHooks();
    private final FilesDeletedAtExit files = new FilesDeletedAtExit();
    private final AtomicReference<@Nullable Decision> decision = new AtomicReference<>();
    private final CountDownLatch decided = new CountDownLatch(1);
    private final RankShutdown shutdown;
    private final Thread shutdownThread;
    /** Set once the rank's end is taken care of; guarded by this object. */
    private boolean prepared;
    private final CompletableFuture<RankOutcome> ended = new CompletableFuture<>();
    /** Null when the rank has ended, as are the following. */
    private volatile @Nullable Thread main;
    private volatile @Nullable ProgramClassPath classPath;
    private volatile boolean terminated;
    /** Null as well while the program has not set a handler. */
    private volatile @Nullable UncaughtExceptionHandler uncaughtHandler;

    /**
     * Creates a rank; no thread is started yet.
     *
     * @param program the program to run
     * @param loader  the class loader of this rank alone
     * @param output  receives the rank's output
     * @param input   the rank's standard input; null for an empty one
     * @param hooks   callbacks at the start and end of the rank
     */
    public RankProcess(final RankProgram program, final RankLoader loader, final RankOutput output, final @Nullable InputStream input,
        final RankHooks hooks) {
        this.program = program;
        this.hooks = hooks;
        this.console = new RankConsole(output, input == null ? InputStream.nullInputStream() : input, EndedThread::blockIfOfRank);
        this.properties = new RankProperties(program, loader.classPath().paths());
        this.group = new RankThreadGroup(program.threadName(), this);
        final Thread thread = Thread.ofPlatform().group(group).daemon(false).name(program.threadName()).inheritInheritableThreadLocals(false)
            .priority(Thread.NORM_PRIORITY).unstarted(new RankMain(this, loader));
        thread.setContextClassLoader(loader);
        main = thread;
        shutdown = new RankShutdown(this);
        shutdownThread = shutdown.thread();
        classPath = loader.classPath();
        SharedJvmErrors.created();
        loader.attach(this);
    }

    /** Returns whether a thread has ended its rank, and blocks until the JVM ends. */
    public static boolean isBlockedForEver(final Thread thread) {
        return EndedThread.isBlocked(thread);
    }

    /** Prepares the operating system for a number of threads that will wait for each other, where it can be prepared. */
    public static void reserve(final int threads) {
        WaitQueues.reserve(threads);
    }

    /** Returns the program that the rank runs. */
    public RankProgram program() {
        return program;
    }

    /** Starts the main thread, unless the rank was ended before. Called once. */
    public void start() {
        SharedThreadStarter.start();
        try {
            prepare();
            startMain();
        } catch (final OutOfMemoryError e) {
            decide(new RankOutcome(Kind.FAILED, FAILURE, "rank cannot be started: rank=" + program.rank() + ", threads of this JVM="
                + ManagementFactory.getThreadMXBean().getThreadCount() + ", reason=" + e.getMessage()
                + "; a rank needs two threads: raise the limits of threads (ulimit -u, pids.max) and of memory, or use more nodes"), false);
            prepareDecided();
        }
    }

    /**
     * Starts the thread that will end the rank; {@link #start} does this as well. When it is called for all ranks of a node before any of them
     * is started, ranks need not wait for each other's threads on an overloaded machine. A rank that was prepared must be started or
     * terminated.
     */
    public synchronized void prepare() {
        if (!prepared) {
            shutdownThread.start();
            prepared = true;
            CurrentRank.started();
        }
    }

    /** Ends a rank that is decided. Where no thread can be created it has none either, so the calling thread does what is left. */
    private void prepareDecided() {
        try {
            prepare();
        } catch (final OutOfMemoryError e) {
            synchronized (this) {
                if (prepared) {
                    return;
                }
                prepared = true;
                CurrentRank.started();
            }
            shutdown.run();
        }
    }

    private synchronized void startMain() {
        if (!isDecided()) {
            mainThread().start();
        }
    }

    /** Returns a stage that completes with the outcome, never exceptionally, when the rank's threads have ended and its output is complete. */
    public CompletionStage<RankOutcome> ended() {
        return ended.minimalCompletionStage();
    }

    /** Returns what the rank's main thread is at. */
    public Activity activity() {
        final Thread thread = main;
        if (isDecided() || thread == null || !thread.isAlive()) {
            return new Activity(thread != null && thread.getState() == Thread.State.NEW && !isDecided(), null, new StackTraceElement[0], null,
                List.of());
        }
        final Object before = LockSupport.getBlocker(thread);
        final StackTraceElement[] stack = thread.getStackTrace();
        // the stack is that of the wait only if the thread is still in it
        final Object blocker = before == LockSupport.getBlocker(thread) ? before : null;
        final List<Thread> others = RankThreads.of(this).stream().filter(t -> t != thread).toList();
        return new Activity(false, thread, stack, blocker, others);
    }

    /**
     * Returns the lock that a platform thread is blocked on; null when it is blocked on none, or nobody holds it. Ranks of a JVM share the monitors
     * of the JDK's classes and objects, those of literals for example.
     */
    public static @Nullable LockWait lockWait(final Thread thread) {
        final boolean isBlocked = thread.getState() == Thread.State.BLOCKED
            || LockSupport.getBlocker(thread) instanceof AbstractOwnableSynchronizer;
        final ThreadInfo info = isBlocked && !thread.isVirtual() ? ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId()) : null;
        if (info == null || info.getLockInfo() == null || info.getLockOwnerId() < 0) {
            return null;
        }
        final RankProcess holder = RankThreads.owner(info.getLockOwnerId());
        return new LockWait(info.getLockInfo().toString(), holder == null ? null : holder.program);
    }

    /** Ends the rank as {@link Kind#ABORTED}, without shutdown hooks. Does not return on a thread of the rank. */
    public void abort(final int status) {
        end(new RankOutcome(Kind.ABORTED, status, "abort was called: rank=" + program.rank() + ", status=" + status));
    }

    /**
     * Ends the rank as {@link Kind#FAILED}, with the error's stack and without shutdown hooks. A rank that is being cancelled ends so, too: the
     * error is its own, and may be the one for which the job is cancelled. Does not return on a thread of the rank.
     *
     * @param byPeer whether the error is that of another rank or node: the rank ends as {@link Kind#PEER_FAILED}, unless it is being cancelled
     */
    public void fail(final Throwable error, final boolean byPeer) {
        final RankOutcome outcome = new RankOutcome(byPeer ? Kind.PEER_FAILED : Kind.FAILED, FAILURE,
            SharedJvmErrors.describe(error));
        final Decision before = decision.get();
        if (!byPeer && before != null && before.outcome().kind() == Kind.CANCELLED) {
            decision.set(new Decision(outcome, before.runHooks()));
        }
        end(outcome);
    }

    private void end(final RankOutcome outcome) {
        decide(outcome, false);
        prepareDecided();
        if (owns(Thread.currentThread())) {
            EndedThread.block();
        }
    }

    /** Ends the rank as {@link Kind#CANCELLED}, or bounds what is left of its end. Returns at once. */
    public void terminate(final String reason) {
        terminated = true;
        decide(new RankOutcome(Kind.CANCELLED, FAILURE, reason), true);
        prepareDecided();
    }

    /** Returns whether a thread belongs to the rank. */
    public boolean owns(final Thread thread) {
        return CurrentRank.of(thread) == this;
    }

    /** Ends the rank as {@link Kind#EXITED}. Does not return. */
    void exit(final int status, final boolean runHooks) {
        decide(new RankOutcome(Kind.EXITED, status, ""), runHooks);
        EndedThread.block();
    }

    /** Returns whether the rank was ended from outside, before its own end or during it. */
    boolean isTerminated() {
        return terminated;
    }

    boolean isDecided() {
        return decision.get() != null;
    }

    /** Decides the outcome and starts the end of the rank, unless it was decided before. */
    void decide(final RankOutcome outcome, final boolean runHooks) {
        if (decision.compareAndSet(null, new Decision(outcome, runHooks))) {
            decided.countDown();
        }
    }

    Decision awaitDecision() throws InterruptedException {
        decided.await();
        return decision();
    }

    private Decision decision() {
        return Objects.requireNonNull(decision.get(), "outcome of a rank is not decided");
    }

    /** Waits on the main thread until no other thread keeps the rank alive; returns false when the rank was ended meanwhile. */
    boolean awaitOtherThreads() {
        for (Thread other = RankThreads.keepingAlive(group); other != null && !isDecided(); other = RankThreads.keepingAlive(group)) {
            try {
                other.join();
            } catch (final InterruptedException e) {
                // either the rank was ended, which the loop detects, or the interrupt has no meaning after main returned
                continue;
            }
        }
        return !isDecided();
    }

    /** Called when the end of the rank was carried out: drops all references to its loader, and completes {@link #ended}. */
    void completeEnd() {
        dropReferences();
        ended.complete(decision().outcome());
    }

    private synchronized void dropReferences() {
        CurrentRank.ended();
        main = null;
        classPath = null;
        uncaughtHandler = null;
        console.reset();
    }

    void uncaught(final Thread thread, final Throwable thrown) {
        final UncaughtExceptionHandler handler = uncaughtHandler;
        if (thrown instanceof JobEndedError) {
            return;
        }
        if (handler != null) {
            handler.uncaughtException(thread, thrown);
        } else {
            console.err().println("Exception in thread \"" + thread.getName() + "\" " + SharedJvmErrors.describe(thrown));
        }
    }

    void setUncaughtHandler(final @Nullable UncaughtExceptionHandler handler) {
        uncaughtHandler = handler;
    }

    @Nullable
    UncaughtExceptionHandler uncaughtHandler() {
        return uncaughtHandler;
    }

    void awaitMain(final long millis) throws InterruptedException {
        RankThreads.await(List.of(mainThread()), millis);
    }

    private Thread mainThread() {
        return Objects.requireNonNull(main, "the rank has ended");
    }

    boolean mayHaveVirtualThreads() {
        final ProgramClassPath used = classPath;
        return used != null && used.mayUseVirtualThreads();
    }

    RankConsole console() {
        return console;
    }

    RankProperties properties() {
        return properties;
    }

    ShutdownHooks shutdownHooks() {
        return shutdownHooks;
    }

    FilesDeletedAtExit files() {
        return files;
    }

    RankHooks hooks() {
        return hooks;
    }

    /**
     * What a rank is at.
     *
     * @param isStarting whether it has not started
     * @param main       its main thread while it runs; null if it does not, and the others are empty
     * @param stack      the stack of its main thread
     * @param blocker    what its main thread is parked for; null if it is not parked, or nobody said
     * @param others     its other threads
     */
    public record Activity(boolean isStarting, @Nullable Thread main, StackTraceElement[] stack, @Nullable Object blocker, List<Thread> others) {
        /** Returns whether the main thread runs. */
        public boolean isRunning() {
            return main != null;
        }
    }

    /**
     * A monitor or another lock that a thread is blocked on.
     *
     * @param lock   its class and identity, as {@link Object#toString} has them
     * @param holder the program of the rank that holds it; null when no rank does
     */
    public record LockWait(String lock, @Nullable RankProgram holder) {}

    /**
     * The decision how a rank ends.
     *
     * @param outcome      the outcome that is reported
     * @param runHooks whether the rank's shutdown hooks are run before
     */
    record Decision(RankOutcome outcome, boolean runHooks) {}
}
