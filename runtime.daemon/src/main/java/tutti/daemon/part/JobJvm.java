package tutti.daemon.part;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.jvm.JvmProcess;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.module.QuarantinedModule;

/**
 * Job JVM of this node: its process, its link, and the parts of jobs that run there. {@link JvmPool} has all of them. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of the pool guards what jobs it has and had, its own lock the process.
 */
final class JobJvm implements ControlChannel.CloseListener, JobJvmReports {
    private static final Logger LOG = LoggerFactory.getLogger(JobJvm.class);
    /** How long the comparison of a JVM may take, in which code that its job has left may run; it is not used again then. */
    private static final Duration COMPARE_LIMIT = Duration.ofSeconds(60);
    /** How long a process may outlive its link, and frames may arrive after the process has ended. */
    private static final long GRACE_SECONDS = 2;
    /** How long a process may take to end by itself. */
    private static final long END_SECONDS = 3;

    private final JvmPool pool;
    private final CompletableFuture<ControlChannel> linked = new CompletableFuture<>();
    private final CompletableFuture<String> closed = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    /** Fails with the reason when the process has ended. */
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    /** Parts that are told the reason when the process has ended. They are removed, since it may have a hundred one after the other. */
    private final Set<JvmPart> listeners = ConcurrentHashMap.newKeySet();
    private @Nullable JvmProcess process;
    /** Receives what the process prints; null while that is logged. */
    private JvmProcess.@Nullable Output output;
    private boolean isEnding;
    private boolean isWarm;
    /** Owner of its jobs; null before the first one, and if it is not known. Guarded by the pool, as the following fields. */
    @Nullable
    String owner;
    /** Number of jobs that it has had. */
    int jobs;
    /** The transports of the node when it was started, which it has too. */
    Set<ServiceReference<?>> transports = Set.of();
    /** Whether a comparison with its snapshot is under way, after the last part of a job. */
    boolean isCompared;
    /** The parts that run there. */
    final Set<JvmPart> parts = new HashSet<>();
    /** Its statistics when they were last reported. */
    JobJvmReports.Usage usage = JobJvmReports.Usage.NONE;
    /** Why a process that lived was killed: its link was lost, or it was stopped; null while it was not. */
    private volatile @Nullable String lost;

    /** Creates a JVM that has no process yet. */
    JobJvm(final JvmPool pool) {
        this.pool = pool;
        ended().thenAccept(reason -> {
            gone.completeExceptionally(new IOException(reason));
            List.copyOf(listeners).forEach(p -> tell(p, reason));
        });
    }

    /** Adds a part that is told the reason when the process has ended; it is told at once if that is so. */
    void listen(final JvmPart part) {
        listeners.add(part);
        if (ended.isDone()) {
            tell(part, ended.join());
        }
    }

    private void tell(final JvmPart part, final String reason) {
        if (listeners.remove(part)) {
            part.jvmEnded(reason);
        }
    }

    /** Removes a part. */
    void ignore(final JvmPart part) {
        listeners.remove(part);
    }

    /** Sets the process. */
    void started(final JvmProcess of) {
        final boolean end;
        synchronized (this) {
            process = of;
            end = isEnding;
            if (output != null) {
                of.print(output);
            }
        }
        of.ended().thenAccept(exit -> {
            final String why = lost;
            final String reason = why == null ? exit : killed(why);
            linked.completeExceptionally(new IOException(reason));
            final CompletionStage<String> all = linked.isCompletedExceptionally() ? CompletableFuture.completedFuture("")
                : closed.copy().completeOnTimeout("", GRACE_SECONDS, TimeUnit.SECONDS);
            all.thenRun(() -> ended.complete(reason));
        });
        final CompletionStage<String> unlinked = closed;
        unlinked.thenAcceptAsync(reason -> {
            if (of.isAlive()) {
                lost = reason;
                of.end();
            }
        }, CompletableFuture.delayedExecutor(GRACE_SECONDS, TimeUnit.SECONDS));
        if (end) {
            of.end();
        }
    }

    /** Passes what the process prints from now on to a receiver instead of the log. */
    synchronized void print(final JvmProcess.Output to) {
        output = to;
        if (process != null) {
            process.print(to);
        }
    }

    /** Notifies that there is no process. */
    void failed(final String reason) {
        linked.completeExceptionally(new IOException(reason));
        ended.complete(reason);
    }

    /** Expects the link of the process; returns the secret that it must show. */
    String expect(final JvmLinks links) {
        return links.expect(linked, c -> {
            c.conversation().serve(JobJvmReports.class, this);
            return this;
        });
    }

    /** Waits until the process can run a part. */
    void await() throws IOException, InterruptedException {
        await(linked);
    }

    /** Waits for a link of the process, as long as that lives. */
    void await(final CompletableFuture<ControlChannel> link) throws IOException, InterruptedException {
        final LiveWait wait = new LiveWait("waiting for a JVM for a job, whose process lives: pid=" + pid(), () -> true, LOG::info);
        while (true) {
            try {
                CompletableFuture.anyOf(link, gone).get(LiveWait.PERIOD.toSeconds(), TimeUnit.SECONDS);
                return;
            } catch (final ExecutionException e) {
                throw new IOException(Protocol.oneLine(e), e);
            } catch (final TimeoutException e) {
                wait.goesOn();
            }
        }
    }

    /** Returns whether the process is ready and was not told to warm up; from then on it was. */
    synchronized boolean begins() {
        final boolean begins = isLinked() && !isWarm;
        isWarm |= begins;
        return begins;
    }

    /** Returns whether the process can run a part. */
    boolean isLinked() {
        return linked.isDone() && !linked.isCompletedExceptionally();
    }

    /** Tells the process something, if it is linked. */
    void tell(final Consumer<JobJvmOrders> order) {
        if (isLinked()) {
            order.accept(linked.join().conversation().peer(JobJvmOrders.class));
        }
    }

    /** Asks what is not as before its job. The stage completes with that, never exceptionally; with a reason if the process ends meanwhile. */
    CompletionStage<List<String>> compare() {
        final CompletableFuture<List<String>> answer = ended.thenApply(List::of);
        tell(o -> o.compare().whenComplete((differences, e) -> answer.complete(e == null ? differences : List.of(Protocol.oneLine(e)))));
        // code that a program has left may run meanwhile, and need not end
        return answer.completeOnTimeout(List.of("it did not answer within " + COMPARE_LIMIT.toSeconds() + " s"), COMPARE_LIMIT.toSeconds(),
            TimeUnit.SECONDS);
    }

    /** Returns a stage that completes when the process can run a part. */
    CompletionStage<ControlChannel> linked() {
        return linked.minimalCompletionStage();
    }

    /** Returns a stage that completes with the reason when the process has ended and all that it sent has been received. */
    CompletionStage<String> ended() {
        return ended.minimalCompletionStage();
    }

    /** Returns whether the process has ended, or is about to. */
    synchronized boolean isOver() {
        return isEnding || ended.isDone() || closed.isDone();
    }

    /** Returns the status with which a program has ended the process that has ended; empty when it ended for another reason. */
    synchronized OptionalInt exit() {
        return process == null ? OptionalInt.empty() : process.exit();
    }

    /** Returns the id of the process, for messages. */
    synchronized String pid() {
        return process == null ? "none" : Long.toString(process.pid());
    }

    /** Tells the process, in which nothing runs any more, to end by itself, and kills it if it does not. Idempotent; does not block. */
    void close() {
        synchronized (this) {
            if (isEnding) {
                return;
            }
            isEnding = true;
        }
        tell(JobJvmOrders::end);
        CompletableFuture.delayedExecutor(END_SECONDS, TimeUnit.SECONDS).execute(this::end);
    }

    /** Kills the process. Idempotent; does not block. */
    void end() {
        final JvmProcess running;
        synchronized (this) {
            isEnding = true;
            running = process;
        }
        if (running != null) {
            running.end();
        }
    }

    /**
     * Waits until the process is stopped by a signal.
     *
     * @return why it is to be killed, which the caller does; null when it has ended
     */
    @Nullable
    String awaitStop() throws InterruptedException {
        final JvmProcess of;
        synchronized (this) {
            of = process;
        }
        if (of == null || !of.awaitStop()) {
            return null;
        }
        lost = "its process was stopped";
        return killed(lost);
    }

    private static String killed(final String reason) {
        // Cause: the JVM of a job hangs: native code, or no memory; or a signal has [stopped](cluster.md#when-a-node-fails) it. Remedy: the reason
        // follows.
        return "it did not answer, and was killed: " + reason;
    }

    @Override
    public void used(final Usage statistics) {
        pool.used(this, statistics);
    }

    @Override
    public void quarantined(final List<QuarantinedModule> changed) {
        Thread.ofVirtual().name("tutti-quarantine").start(() -> pool.merge(changed));
    }

    @Override
    public void printed(final String line) {
        final JvmProcess by;
        synchronized (this) {
            by = process;
        }
        if (by != null) {
            by.log(line);
        }
    }

    @Override
    public void closed(final String reason) {
        closed.complete(reason);
    }
}
