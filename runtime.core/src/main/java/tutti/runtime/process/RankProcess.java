package tutti.runtime.process;

import java.io.InputStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import tutti.runtime.job.RankOutcome;
import tutti.runtime.job.RankOutcome.Kind;

/**
 * A rank as a process within the JVM: runs a program on threads of its own, and ends it whatever it does.
 *
 * <p>The first of these decides how the rank ends: {@code main} returned and no other non-daemon thread of the rank is alive; an
 * exception came out of {@code main}; the program called {@code System.exit}; {@link #abort}; {@link #terminate}. Then its shutdown hooks
 * run, its threads are ended, its output is completed, and {@link #ended} completes. Nothing here refers to the rank's loader
 * from then on, unless a thread could not be stopped, which is logged.
 *
 * <p>{@link RankStreams} must be installed while ranks run. Safe for any thread.
 */
public final class RankProcess {
    private static final int FAILURE = 1;

    private final RankProgram program;
    private final RankHooks hooks;
    private final RankGroup group;
    private final RankConsole console;
    private final ShutdownHooks shutdownHooks = new ShutdownHooks();
    private final AtomicReference<Decision> decision = new AtomicReference<>();
    private final CountDownLatch decided = new CountDownLatch(1);
    private final Thread reaper;
    private final CompletableFuture<RankOutcome> ended = new CompletableFuture<>();
    private volatile Thread main;
    private volatile ProgramClassPath image;
    private volatile UncaughtExceptionHandler uncaughtHandler;

    /**
     * Prepares a rank; nothing runs yet.
     *
     * @param loader of this rank alone
     * @param output takes what the rank prints
     * @param input  its standard input; null for an empty one
     */
    public RankProcess(final RankProgram program, final RankLoader loader, final RankOutput output, final InputStream input, final RankHooks hooks) {
        this.program = program;
        this.hooks = hooks;
        this.console = new RankConsole(output, input == null ? InputStream.nullInputStream() : input);
        this.group = new RankGroup(program.threadName(), this);
        final Thread thread = Thread.ofPlatform().group(group).daemon(false).name(program.threadName()).inheritInheritableThreadLocals(false)
            .priority(Thread.NORM_PRIORITY).unstarted(new RankMain(this, program, loader, hooks));
        thread.setContextClassLoader(loader);
        main = thread;
        reaper = new RankShutdown(this).thread();
        image = loader.image();
        loader.attach(this);
    }

    /** What it runs. */
    public RankProgram program() {
        return program;
    }

    /** Starts the main thread, unless the rank was ended before. Once. */
    public void start() {
        SharedThreadStarter.start();
        try {
            prepare();
            startMain();
        } catch (final OutOfMemoryError e) {
            decide(new RankOutcome(Kind.FAILED, FAILURE, "rank cannot be started: " + e.getMessage()), false);
            prepare();
        }
    }

    /**
     * Gets ready to start; {@link #start} does so as well. Called for all ranks of a node before any of them is started, it spares them
     * to wait for each other's threads on a crowded machine. A rank that was prepared must be started or terminated.
     */
    public synchronized void prepare() {
        if (reaper.getState() == Thread.State.NEW) {
            reaper.start();
            CurrentRank.started();
        }
    }

    private synchronized void startMain() {
        if (!isDecided()) {
            main.start();
        }
    }

    /** Completes, never exceptionally, with the way in which the rank ended, when none of its threads runs and its output is complete. */
    public CompletionStage<RankOutcome> ended() {
        return ended.minimalCompletionStage();
    }

    /** Ends the rank as {@link Kind#ABORTED}, without shutdown hooks. Does not return on a thread of the rank. */
    public void abort(final int status) {
        end(new RankOutcome(Kind.ABORTED, status, "abort was called: rank=" + program.rank() + ", status=" + status));
    }

    /** Ends the rank as {@link Kind#FAILED}, with the error's stack and without shutdown hooks. Does not return on a thread of the rank. */
    public void fail(final Throwable error) {
        end(new RankOutcome(Kind.FAILED, FAILURE, StackText.of(error)));
    }

    private void end(final RankOutcome end) {
        decide(end, false);
        prepare();
        if (owns(Thread.currentThread())) {
            throw RankExit.INSTANCE;
        }
    }

    /** Ends the rank as {@link Kind#CANCELLED}. Returns at once. */
    public void terminate(final String reason) {
        decide(new RankOutcome(Kind.CANCELLED, FAILURE, reason), true);
        prepare();
    }

    /** Whether a thread is one of the rank's. */
    public boolean owns(final Thread thread) {
        return CurrentRank.of(thread) == this;
    }

    /** Ends the rank as {@link Kind#EXITED}; the caller throws what comes back. */
    RankExit exit(final int status, final boolean runHooks) {
        decide(new RankOutcome(Kind.EXITED, status, ""), runHooks);
        return RankExit.INSTANCE;
    }

    boolean isDecided() {
        return decision.get() != null;
    }

    /** Ends the rank in that way, unless it ends already. */
    void decide(final RankOutcome end, final boolean runHooks) {
        if (decision.compareAndSet(null, new Decision(end, runHooks))) {
            decided.countDown();
        }
    }

    Decision awaitDecision() throws InterruptedException {
        decided.await();
        return decision.get();
    }

    /** Waits on the main thread until no other thread of the rank keeps it alive; false when the rank was ended meanwhile. */
    boolean awaitOtherThreads() {
        for (Thread other = RankThreads.keepingAlive(group); other != null && !isDecided(); other = RankThreads.keepingAlive(group)) {
            try {
                other.join();
            } catch (final InterruptedException e) {
                // either the rank was ended, which the loop sees, or the program means nothing to a thread that has left main
                continue;
            }
        }
        return !isDecided();
    }

    /** The rank's threads are gone: lets go of what may refer to its loader, and tells. */
    void reaped(final RankOutcome end) {
        letGo();
        ended.complete(end);
    }

    private synchronized void letGo() {
        CurrentRank.ended();
        main = null;
        image = null;
        uncaughtHandler = null;
        console.reset();
    }

    void uncaught(final Thread thread, final Throwable thrown) {
        final UncaughtExceptionHandler handler = uncaughtHandler;
        if (thrown instanceof RankExit) {
            return;
        }
        try {
            if (handler != null) {
                handler.uncaughtException(thread, thrown);
            } else {
                console.err().println("Exception in thread \"" + thread.getName() + "\" " + StackText.of(thrown));
            }
        } catch (final RankExit e) {
            // the rank has ended, and nobody listens any more
            return;
        }
    }

    void setUncaughtHandler(final UncaughtExceptionHandler handler) {
        uncaughtHandler = handler;
    }

    UncaughtExceptionHandler uncaughtHandler() {
        return uncaughtHandler;
    }

    void joinMain(final long millis) throws InterruptedException {
        main.join(millis);
    }

    boolean mayHaveVirtualThreads() {
        final ProgramClassPath used = image;
        return used != null && used.mayUseVirtualThreads();
    }

    RankGroup group() {
        return group;
    }

    RankConsole console() {
        return console;
    }

    ShutdownHooks shutdownHooks() {
        return shutdownHooks;
    }

    RankHooks hooks() {
        return hooks;
    }

    /**
     * How a rank ends.
     *
     * @param end      what is reported
     * @param runHooks whether its shutdown hooks are run before
     */
    record Decision(RankOutcome end, boolean runHooks) { }
}
