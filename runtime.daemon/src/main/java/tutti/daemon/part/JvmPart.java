package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.RankServices;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Part of a job on this node whose ranks run in a job JVM: passes calls to the {@link LocalPart} there and its reports to the coordinator, and has
 * that JVM killed when the part does not end. Safe for any thread.
 */
final class JvmPart implements PreparablePart, TransportRegistry.User {
    /** How long the ranks of a cancelled part may take to end before their JVM is killed; less than a coordinator waits for the part. */
    private static final long CANCEL_SECONDS = 3;
    /** How long the JVM may take to end the part when all ranks have ended. */
    private static final long END_SECONDS = 5;

    private final PartListener listener;
    private final PartOutput output;
    private final NodeParts parts;
    private final Path folder;
    private final SpawnedJobs spawned;
    private final Set<Integer> running = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<PreparedPart> prepared = new CompletableFuture<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final JvmRelay relay;
    private final Consumer<String> onJvmEnd = this::jvmEnded;
    /** Guarded by this object, as the following fields. */
    private JvmPool.@Nullable Taken taken;
    /** The part in the JVM; null before it has one. */
    private @Nullable JobPart inJvm;
    private @Nullable Preparation order;
    private @Nullable JobSpec spec;
    /** Modules of the node that the JVM uses; null before the part is prepared. */
    private NodeModules.@Nullable Pinned modules;
    private @Nullable JobCheckpoints checkpoints;
    /** Whether the coordinator waits, or has waited, until it is connected. */
    private boolean isAgreed;
    /** Null for the node's own transport. */
    private TransportRegistry.@Nullable Use transport;
    /** The thread that takes a JVM; null while none does. */
    private @Nullable Thread taker;
    private @Nullable String cancelled;
    /** Whether an end of the JVM is none of an error. */
    private boolean isEnding;
    /** Why the part has failed; null while it has not. */
    private @Nullable CallFailedException failure;
    private boolean isEnded;
    private boolean isOver;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    JvmPart(final PartListener listener, final PartOutput output, final NodeParts parts, final Path folder) {
        this.listener = listener;
        this.output = output;
        this.parts = parts;
        this.folder = folder;
        this.spawned = new SpawnedJobs(listener, output, parts.spawner());
        this.relay = new JvmRelay(output, new Ends());
    }

    @Override
    public PreparedPart prepare(final Preparation by, final JobSpec of) throws CallFailedException {
        output.open(listener);
        try {
            LocalPart.checkRanks(of, parts.maxRanks());
            final JobCheckpoints kept = parts.openCheckpoints(of, by.restart());
            synchronized (this) {
                order = by;
                spec = of;
                checkpoints = kept;
            }
            final TransportRegistry.Use watched = parts.transports().watch(by.transport(), this);
            synchronized (this) {
                transport = watched;
            }
            begin(by, of);
            return prepared.get();
        } catch (final IOException | RuntimeException e) {
            throw failed(e);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final CallFailedException known ? known : failed(e);
        } catch (final InterruptedException e) {
            throw failed(new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled", e));
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
        final boolean isCancelled;
        synchronized (this) {
            taker = null;
            taken = got;
            inJvm = got.channel().conversation().peer(JobPart.class);
            isCancelled = cancelled != null;
        }
        got.jvm().listen(onJvmEnd);
        if (isCancelled) {
            end();
            return;
        }
        if (isAlone) {
            // as what the rank itself prints
            got.jvm().print((error, bytes) -> output.print(ranks.getFirst(), error, bytes));
        }
        final NodeModules.Pinned pinned = parts.jvms().pin();
        synchronized (this) {
            modules = pinned;
        }
        got.channel().conversation().peer(PartJvm.class).prepare(new JvmPreparation(by.withoutFiles(of.environment()),
            of.classPath().stream().map(p -> p.toAbsolutePath().toString()).toList(), parts.jvms().offered(), parts.places()))
            .whenComplete((part, e) -> {
                if (e == null) {
                    prepared.complete(part);
                } else {
                    callFailed(e);
                }
            });
    }

    /** Ends the part, which the JVM could not prepare or connect. That the JVM has ended is told by its end, with the reason. */
    private void callFailed(final Throwable cause) {
        if (cause instanceof final CallFailedException known) {
            failed(known);
        }
    }

    /** Ends the part with a failure, and returns that. */
    private CallFailedException failed(final Throwable cause) {
        final CallFailedException known = cause instanceof final CallFailedException e ? e
            : new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(cause));
        final JvmPool.Taken of;
        synchronized (this) {
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

    @Override
    public void transportLost(final String reason) {
        listener.failed(ExitStatus.NO_CLUSTER, reason);
        cancel(reason);
    }

    /** Returns the id of the job. */
    synchronized String job() {
        return spec().id();
    }

    private JobSpec spec() {
        return Objects.requireNonNull(spec, "the part is being prepared");
    }

    /** Returns whether other ranks may run in the JVM of the part, and other jobs later: a rank that has a JVM of its own is a process. */
    synchronized boolean isShared() {
        return !RanksPerJvm.isAlone(spec());
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob job) {
        final JobPart to;
        synchronized (this) {
            to = Objects.requireNonNull(inJvm, "the part is prepared");
            if (modules != null) {
                modules.keep(job.agreement().keptOn(spec().self()));
            }
            isAgreed = true;
            final Conversation link = Objects.requireNonNull(taken, "a JVM").channel().conversation().serve(RankServices.class,
                parts.services(this, spec(), Objects.requireNonNull(order, "the part is prepared").owner(), job, listener, spawned));
            if (checkpoints != null) {
                link.serve(CheckpointFiles.class, new ServedCheckpoints(checkpoints, folder));
            }
        }
        to.connect(job).whenComplete((done, e) -> {
            if (e == null) {
                connected.complete(null);
            } else {
                callFailed(e);
            }
        });
        return connected.minimalCompletionStage();
    }

    /** Returns the part in the JVM; null when it has none yet. */
    private synchronized @Nullable JobPart inJvm() {
        return inJvm;
    }

    @Override
    public void start() {
        Objects.requireNonNull(inJvm(), "the part is prepared").start();
    }

    @Override
    public void cancel(final String reason) {
        final JobPart to = inJvm();
        synchronized (this) {
            cancelled = reason;
            if (taker != null) {
                taker.interrupt();
            }
        }
        if (to == null || !prepared.isDone()) {
            end();
            return;
        }
        later(CANCEL_SECONDS, this::end);
        to.cancel(reason);
    }

    @Override
    public void endSpawned(final String reason) {
        spawned.end(reason);
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

    /** Returns what the part in the JVM reports to. */
    PartListener reports() {
        return new Reports();
    }

    /** Returns the number of ranks that have not ended. */
    int running() {
        return running.size();
    }

    private static void later(final long seconds, final Runnable action) {
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(action);
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

    /** Notifies that the part has ended, and that its JVM lives. That of a rank of its own ends first, as a process does. */
    private void partEnded() {
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

    private void jvmEnded(final String reason) {
        synchronized (this) {
            if (isEnded && isShared()) {
                return;
            }
        }
        // what it has put out may take as long as the user of the job takes to read it, who may end it
        Thread.ofVirtual().name("tutti-part-end").start(() -> {
            relay.finish();
            synchronized (this) {
                final OptionalInt exit = isShared() || isEnding ? OptionalInt.empty() : jvm().exit();
                if (exit.isPresent() && !running.isEmpty()) {
                    // the program has ended its process in a way of which the JVM does not know
                    output.rankEnded(running.iterator().next(), new RankOutcome(RankOutcome.Kind.EXITED, exit.getAsInt(), ""));
                } else if (!isEnding) {
                    failure = new CallFailedException(ExitStatus.FAILED, "the JVM of job " + spec().id() + " has ended (pid=" + jvm().pid() + "): "
                        + reason);
                }
                isEnding = true;
            }
            over();
        });
    }

    /** Ends the part: nothing of it is left in a JVM. */
    private void over() {
        final JobCheckpoints kept;
        final JvmPool.Taken of;
        final TransportRegistry.Use watched;
        final NodeModules.Pinned pinned;
        final boolean hasAgreement;
        final boolean hasEnded;
        final CallFailedException why;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            kept = checkpoints;
            of = taken;
            watched = transport;
            pinned = modules;
            hasAgreement = isAgreed;
            hasEnded = isEnded;
            why = failure;
        }
        if (kept != null) {
            kept.close();
        }
        if (watched != null) {
            watched.close();
        }
        if (pinned != null) {
            pinned.close();
        }
        parts.ended(this);
        TempFolders.delete(folder);
        running.clear();
        if (of != null) {
            of.jvm().ignore(onJvmEnd);
            of.channel().close();
        }
        parts.jvms().released(this, of == null ? null : of.jvm(), hasEnded);
        tell(why, hasAgreement);
    }

    /** Tells the coordinator of the end, by the call that it waits for if there is one. */
    private void tell(final @Nullable CallFailedException why, final boolean hasAgreement) {
        final CallFailedException reason = why != null ? why : new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled");
        final boolean isPreparing = prepared.completeExceptionally(reason);
        final boolean isConnecting = connected.completeExceptionally(reason) && hasAgreement;
        if (why == null) {
            output.partEnded();
        } else {
            if (!isPreparing && !isConnecting) {
                listener.failed(why.status(), String.valueOf(why.getMessage()));
            }
            output.end();
        }
    }

    /** Ends in the output of the part in the JVM. */
    private final class Ends implements JvmRelay.Ends {
        @Override
        public void rankEnded(final int rank, final RankOutcome end) {
            output.rankEnded(rank, end);
            if (running.remove(rank) && running.isEmpty()) {
                later(END_SECONDS, JvmPart.this::end);
            }
        }

        @Override
        public void partEnded() {
            JvmPart.this.partEnded();
        }

        @Override
        public void broken(final Exception reason) {
            failed(reason);
        }
    }

    /** Reports of the part in the JVM. */
    private final class Reports implements PartListener {
        @Override
        public CompletionStage<Void> output(final InputStream pieces) {
            relay.passOn(pieces);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<byte[]> input() {
            return listener.input();
        }

        @Override
        public void failed(final int status, final String text) {
            listener.failed(status, text);
            later(CANCEL_SECONDS, JvmPart.this::end);
        }

        @Override
        public void nodeLost(final int node, final String reason) {
            listener.nodeLost(node, reason);
        }

        @Override
        public void checkpointed(final CheckpointReport report) {
            listener.checkpointed(report);
        }

        @Override
        public void spawned() {
            throw new IllegalStateException("the node starts the jobs that ranks spawn");
        }

        @Override
        public void spawnEnded() {
            throw new IllegalStateException("the node starts the jobs that ranks spawn");
        }
    }
}
