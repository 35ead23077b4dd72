package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.Replacement;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Part of a job on this node whose ranks run in a job JVM: passes calls to the {@link LocalPart} there and its reports to the coordinator, and has
 * that JVM killed when the part does not end. Safe for any thread.
 */
final class JvmPart extends PreparablePart {
    private static final Logger LOG = LoggerFactory.getLogger(JvmPart.class);
    /** How long the ranks of a cancelled part may take to end before their JVM is killed; less than a coordinator waits for the part. */
    private static final long CANCEL_SECONDS = 3;
    /** How long the JVM may take to end the part when all ranks have ended. */
    private static final long END_SECONDS = 5;
    /** How long the coordinator may take to cancel the part after the report that the process of its JVM is stopped. */
    private static final long STOP_MILLIS = 1_000;

    private final NodeParts parts;
    private final Set<Integer> running = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<PreparedPart> prepared = new CompletableFuture<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final JvmRelay relay = new JvmRelay(this);
    private final JvmChanges modules;
    /** Null before it has a JVM. Guarded by this object, as the following fields. */
    private JvmPool.@Nullable Taken taken;
    /** Uses of transports by the JVM. */
    private List<TransportRegistry.Use> uses = List.of();
    /** The thread that takes a JVM; null while none does. */
    private @Nullable Thread taker;
    /** Whether the coordinator has called {@link #connect}. */
    private boolean isAgreed;
    /** Whether the job goes on without JVMs that are lost. */
    private boolean reportsLosses;
    /** The thread that waits until the process of the JVM is stopped; null while none does. */
    private @Nullable Thread stopWatch;
    /** Whether it was. */
    private boolean isStopped;
    /** Whether an end of the JVM is none of an error. */
    private boolean isEnding;
    /** Why the part has failed; null while it has not. */
    private @Nullable CallFailedException failure;
    /** Whether that is the end of its JVM. */
    private boolean isJvmLost;
    private boolean isEnded;
    private boolean isOver;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    JvmPart(final PartListener listener, final PartOutput output, final NodeParts parts, final Path folder) {
        super(listener, output, parts, folder);
        this.parts = parts;
        this.modules = new JvmChanges(parts.jvms());
    }

    @Override
    void openTransports(final List<String> schemes) {
        final List<TransportRegistry.Use> watched = parts.transports().watch(schemes, this);
        synchronized (this) {
            uses = watched;
        }
    }

    @Override
    void closeTransports() {
        final List<TransportRegistry.Use> watched;
        synchronized (this) {
            watched = uses;
        }
        watched.forEach(TransportRegistry.Use::close);
    }

    @Override
    PreparedPart prepareRanks(final Preparation by, final JobSpec of) throws IOException {
        try {
            begin(by, of);
            return prepared.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final CallFailedException known ? known : new IOException(e);
        } catch (final InterruptedException e) {
            // Cause: the job ended while a part of it was prepared.
            throw new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled", e);
        }
    }

    /** Takes a JVM, and prepares the part there. */
    private void begin(final Preparation by, final JobSpec of) throws IOException, InterruptedException {
        final List<Integer> ranks = RanksPerJvm.ranks(of);
        final boolean isAlone = RanksPerJvm.isAlone(of);
        running.addAll(ranks);
        synchronized (this) {
            taker = Thread.currentThread();
        }
        final JvmPool.Taken got = parts.jvms().take(new JvmPool.Wanted(by.owner(), isAlone, by.spawner(),
            isAlone ? of.programOf(ranks.getFirst()).options().jvm() : List.of()), this);
        synchronized (this) {
            taker = null;
            taken = got;
        }
        got.jvm().listen(this);
        if (cancelled() != null) {
            end();
            return;
        }
        if (isAlone) {
            // as what the rank itself prints
            got.jvm().print((error, bytes) -> output().print(ranks.getFirst(), error, bytes));
        }
        complete(prepared, got.inJvm().prepare(new JvmPreparation(by.withoutFiles(of.environment()),
            of.classPath().stream().map(p -> p.toAbsolutePath().toString()).toList(), modules.begin(), parts.places())));
    }

    /** Completes a call of the coordinator as that of the JVM; a JVM that has ended tells why by its end. */
    private <T extends @Nullable Object> void complete(final CompletableFuture<T> call, final CompletionStage<T> inJvm) {
        inJvm.whenComplete((result, e) -> {
            if (e == null) {
                call.complete(result);
            } else if (e instanceof final CallFailedException known) {
                failed(known);
            }
        });
    }

    @Override
    CallFailedException failed(final Throwable cause) {
        final CallFailedException known = failure(cause);
        final JvmPool.Taken of;
        synchronized (this) {
            if (isOver) {
                return known;
            }
            taker = null;
            of = taken;
            failure = isEnding ? failure : known;
            isEnding = true;
        }
        if (of == null) {
            over();
        } else {
            of.jvm().end();
        }
        return known;
    }

    /** Returns whether other ranks may run in the JVM of the part, and other jobs later: a rank that has a JVM of its own is a process. */
    boolean isShared() {
        return !RanksPerJvm.isAlone(spec());
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob job) {
        final JvmPool.Taken of;
        synchronized (this) {
            of = taken;
            if (of == null) {
                return CompletableFuture.failedStage(unprepared());
            }
            isAgreed = true;
            reportsLosses = LossMode.of(job.agreement().parameters()) == LossMode.REPORT;
        }
        modules.keep(0, job.agreement().keptOn(spec().self()));
        final Conversation link = of.channel().conversation().serve(RankServices.class, parts.ranks(this, job));
        final JobCheckpoints kept = checkpoints();
        if (kept != null) {
            link.serve(CheckpointFiles.class, new ServedCheckpoints(kept, folder()));
        }
        complete(connected, of.part().connect(job));
        return connected.minimalCompletionStage();
    }

    /** Returns the part in the JVM; null when it has none yet. */
    private @Nullable JobPart inJvm() {
        final JvmPool.Taken of = taken();
        return of == null ? null : of.part();
    }

    private synchronized JvmPool.@Nullable Taken taken() {
        return taken;
    }

    @Override
    public void start() {
        final JobPart to = prepared();
        watchStops();
        to.start();
    }

    @Override
    CompletionStage<Void> startSpareRank(final Replacement place, final List<NodeEndpoints> linked) {
        final JobPart to = prepared();
        watchStops();
        return to.startSpare(place, linked);
    }

    private JobPart prepared() {
        final JobPart to = inJvm();
        if (to == null) {
            // Cause: a breach of the protocol by a job JVM, for example a program that reaches into the runtime. Remedy: look at the program.
            throw new IllegalStateException("the part is not prepared");
        }
        return to;
    }

    /** Starts to watch whether the process of the JVM is stopped, if the job goes on without it then. Other jobs wait until the process continues. */
    private synchronized void watchStops() {
        if (reportsLosses && !isOver && stopWatch == null) {
            final JobJvm jvm = jvm();
            stopWatch = Thread.ofVirtual().name("tutti-stop-watch").inheritInheritableThreadLocals(false).start(() -> watchStops(jvm));
        }
    }

    /**
     * Waits until the process is stopped, and reports the loss. The coordinator cancels the part then, which kills the process: so it does not know
     * of the loss by the closed links of other ranks first, which cannot tell the reason.
     */
    private void watchStops(final JobJvm jvm) {
        try {
            final String reason = jvm.awaitStop();
            if (reason == null) {
                return;
            }
            synchronized (this) {
                isStopped = true;
            }
            listener().jvmLost(lostJvm(jvm, reason));
            Thread.sleep(STOP_MILLIS);
            jvm.end();
        } catch (final InterruptedException e) {
            LOG.trace("the part has ended", e);
        }
    }

    private String lostJvm(final JobJvm jvm, final String reason) {
        return "the JVM of job " + spec().id() + " has ended (pid=" + jvm.pid() + "): " + reason;
    }

    @Override
    public void cancel(final String reason) {
        final JobPart to = inJvm();
        final boolean answers;
        synchronized (this) {
            setCancelled(reason);
            answers = !isStopped;
            if (taker != null) {
                taker.interrupt();
            }
        }
        if (to == null || !prepared.isDone() || !answers) {
            end();
            return;
        }
        endLater();
        to.cancel(reason);
    }

    @Override
    void loseRanks(final List<Integer> ranks, final String reason) {
        final JobPart to = inJvm();
        if (to != null) {
            to.lose(ranks, reason);
        }
    }

    @Override
    public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
        final JobPart to = inJvm();
        return to == null ? CompletableFuture.completedStage(List.of()) : to.inspect(waitedMillis);
    }

    @Override
    public CompletionStage<Long> lastPoint() {
        final JobPart to = inJvm();
        return to == null ? CompletableFuture.completedStage(0L) : to.lastPoint();
    }

    @Override
    public void checkpointAt(final long point) {
        final JobPart to = inJvm();
        if (to != null) {
            to.checkpointAt(point);
        }
    }

    /** Step of a change of modules in a JVM. */
    @FunctionalInterface
    private interface ChangeStep<T extends @Nullable Object> {
        CompletionStage<T> in(JvmPool.Taken jvm);
    }

    private <T extends @Nullable Object> CompletionStage<T> take(final ChangeStep<T> step) {
        final JvmPool.Taken to = taken();
        return to == null ? CompletableFuture.failedStage(unprepared())
            : step.in(to).exceptionallyCompose(e -> CompletableFuture.failedStage(failure(e)));
    }

    @Override
    public CompletionStage<Catalogue> lease(final int change) {
        return take(j -> modules.lease(change, j.inJvm(), j.part()));
    }

    @Override
    public CompletionStage<Void> agree(final int change, final AgreedModules agreement) {
        return take(j -> modules.agree(change, agreement, spec().self(), j.part()));
    }

    @Override
    public CompletionStage<Void> change(final int change) {
        return take(j -> modules.change(change, j.part()));
    }

    @Override
    public void abandon(final int change) {
        final JobPart to = inJvm();
        if (to != null) {
            modules.abandon(change, to);
        }
    }

    /** Notifies that the JVM uses no other modules of the node any more. */
    void released(final List<ModuleId> kept) {
        modules.released(kept);
    }

    /** Returns the listener of the part in the JVM. */
    PartListener relay() {
        return relay;
    }

    /** Returns the number of ranks that have not ended. */
    int running() {
        return running.size();
    }

    private void later(final long seconds) {
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(this::end);
    }

    /** Kills the JVM of the part, which is to end, if it does not. */
    void endLater() {
        later(CANCEL_SECONDS);
    }

    /** Returns the JVM, which the part has. Called under the lock. */
    private JobJvm jvm() {
        return Objects.requireNonNull(taken, "a JVM").jvm();
    }

    /** Kills the JVM of the part, which has nothing to do any more. */
    private void end() {
        final JvmPool.Taken of;
        synchronized (this) {
            if (isEnded && isShared()) {
                return;
            }
            of = taken;
            isEnding = true;
        }
        if (of != null) {
            of.jvm().end();
        }
    }

    /** Notifies that a rank has ended, after all that it has put out. */
    void rankEnded(final int rank, final RankOutcome end) {
        output().rankEnded(rank, end);
        if (running.remove(rank) && running.isEmpty()) {
            later(END_SECONDS);
        }
    }

    /** Notifies that the part has ended, and that its JVM lives. That of a rank of its own ends first, as a process does. */
    void partEnded() {
        final JobJvm own;
        synchronized (this) {
            isEnded = true;
            isEnding = true;
            own = isShared() ? null : jvm();
        }
        if (own == null) {
            over();
        } else {
            own.close();
        }
    }

    /** Notifies that the process of the JVM has ended, and why. */
    void jvmEnded(final String reason) {
        synchronized (this) {
            if (isEnded && isShared()) {
                return;
            }
        }
        // what it has put out may take as long as the user of the job takes to read it, who may end it
        Thread.ofVirtual().name("tutti-part-end").start(() -> {
            relay.finish();
            parts.transports().removeRemains();
            synchronized (this) {
                final OptionalInt exit = isShared() || isEnding ? OptionalInt.empty() : jvm().exit();
                if (exit.isPresent() && !running.isEmpty()) {
                    // the program has ended its process in a way of which the JVM does not know
                    output().rankEnded(running.iterator().next(), new RankOutcome(RankOutcome.Kind.EXITED, exit.getAsInt(), ""));
                } else if (!isEnding) {
                    isJvmLost = true;
                    failure = new CallFailedException(ExitStatus.FAILED, lostJvm(jvm(), reason));
                }
                isEnding = true;
            }
            over();
        });
    }

    /** Ends the part: nothing of it is left in a JVM. Tells the coordinator, by the call that it waits for if there is one. */
    private void over() {
        final JvmPool.Taken of;
        final boolean hasEnded;
        final CallFailedException why;
        final boolean hasAgreement;
        final boolean hasLostJvm;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            if (stopWatch != null) {
                stopWatch.interrupt();
            }
            of = taken;
            hasEnded = isEnded;
            why = failure;
            hasAgreement = isAgreed;
            hasLostJvm = isJvmLost;
        }
        release();
        modules.close();
        running.clear();
        if (of != null) {
            of.jvm().ignore(this);
            of.channel().close();
        }
        parts.jvms().released(this, of == null ? null : of.jvm(), hasEnded);
        final CallFailedException reason = why != null ? why : new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled");
        final boolean isPreparing = prepared.completeExceptionally(reason);
        final boolean isConnecting = connected.completeExceptionally(reason) && hasAgreement;
        if (why == null) {
            output().partEnded();
            return;
        }
        if (!isPreparing && !isConnecting && hasLostJvm) {
            listener().jvmLost(String.valueOf(why.getMessage()));
        } else if (!isPreparing && !isConnecting) {
            listener().failed(why.status(), String.valueOf(why.getMessage()));
        }
        output().end();
    }
}
