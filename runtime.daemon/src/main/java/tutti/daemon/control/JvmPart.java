package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.RankFile;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.PlanProver;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Part of a job on this node whose ranks run in a job JVM: passes orders to the {@link JobPart} there and its reports to the coordinator, serves its
 * ranks, and has that JVM killed when the part does not end. Safe for any thread.
 */
final class JvmPart implements NodePart, ChannelReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(JvmPart.class);
    /** How long the ranks of a cancelled part may take to end before their JVM is killed; less than a coordinator waits for the part. */
    private static final long CANCEL_SECONDS = 3;
    /** How long the JVM may take to end the part when all ranks have ended. */
    private static final long END_SECONDS = 5;
    /** How long the last output of a part may take to be sent that was cancelled, or whose JVM has ended. */
    private static final Duration DRAIN = Duration.ofSeconds(2);
    private static final Piece LAST = new Piece(0, Kind.OUT, new byte[0]);

    private enum Kind { OUT, ERR, TRACE, REPORT, ENDED }

    /** Piece of what the JVM sends, in the order in which it is passed on: a rank has ended when its output was passed on. */
    private record Piece(int rank, Kind kind, byte[] bytes, InterceptorReport.@Nullable Piece report, Message.@Nullable RankEnded end) {
        Piece(final int rank, final Kind kind, final byte[] bytes) {
            this(rank, kind, bytes, null, null);
        }

        Piece(final InterceptorReport.Piece report) {
            this(0, Kind.REPORT, report.bytes(), report, null);
        }

        Piece(final Message.RankEnded end) {
            this(end.rank(), Kind.ENDED, new byte[0], null, end);
        }
    }

    private final JobPartListener listener;
    private final PartSupport support;
    private final Path folder;
    private final JvmPool pool;
    private final SpawnedJobs spawned;
    private final BlockingQueue<Piece> output = new LinkedBlockingQueue<>();
    private final CreditBatch credit = new CreditBatch(Protocol.NODE_OUTPUT_CREDIT, this::returnCredit);
    private final Set<Integer> running = ConcurrentHashMap.newKeySet();
    private final Ranks ranks = new Ranks();
    private final Consumer<String> onJvmEnd = this::jvmEnded;
    private final Thread relay = Thread.ofVirtual().name("tutti-output").inheritInheritableThreadLocals(false).unstarted(this::relay);
    /** Guarded by this object, as the following fields. */
    private JvmPool.@Nullable Taken taken;
    @SuppressWarnings("NullAway.Init") // prepare sets it
    private JobSpec spec;
    private @Nullable String owner;
    private @Nullable AgreedModules agreed;
    /** Modules of the node that the JVM uses; null before the part is prepared. */
    private NodeModules.@Nullable Pinned modules;
    private @Nullable JobServices services;
    private @Nullable JobCheckpoints checkpoints;
    /** Null for the node's own transport. */
    private TransportRegistry.@Nullable Use transport;
    private @Nullable String cancelled;
    private boolean isPrepared;
    /** The message that reports the end of the part once it has ended, or its JVM has; null while an end of the JVM is an error. */
    private @Nullable Message last;
    private boolean isEnded;
    private boolean isOver;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    JvmPart(final JobPartListener listener, final PartSupport support, final Path folder, final JvmPool pool) {
        this.listener = listener;
        this.support = support;
        this.folder = folder;
        this.pool = pool;
        this.spawned = new SpawnedJobs(listener);
    }

    @Override
    public void prepare(final JobSpec of, final Message.Prepare prepare, final JobHost host, final JobTransports transports) {
        try {
            JobPart.checkRanks(of, support);
            final JobCheckpoints kept = JobPart.openCheckpoints(of, support, prepare.restart());
            final TransportRegistry.Use watched = transports.watch(prepare.transport(), this::disconnected);
            synchronized (this) {
                transport = watched;
                spec = of;
                owner = prepare.owner();
                checkpoints = kept;
            }
            final List<Integer> ranks = RanksPerJvm.ranks(of);
            running.addAll(ranks);
            final JvmPool.Taken got = pool.take(new JvmPool.Wanted(prepare.owner(), !isShared(), prepare.spawner(),
                isShared() ? List.of() : of.programOf(ranks.getFirst()).options().jvm()), this, this);
            relay.start();
            final boolean isCancelled;
            synchronized (this) {
                taken = got;
                isCancelled = cancelled != null;
            }
            got.jvm().listen(onJvmEnd);
            if (isCancelled) {
                end();
            } else {
                if (!isShared()) {
                    // as what the rank itself prints, without the credit of its link
                    got.jvm().print((error, bytes) -> listener.printed(ranks.getFirst(), error, bytes));
                }
                final NodeModules.Pinned pinned = pool.pin();
                synchronized (this) {
                    modules = pinned;
                }
                got.channel().post(new Message.PrepareJvm(prepare.withoutFiles(of.environment()),
                    of.classPath().stream().map(p -> p.toAbsolutePath().toString()).toList(), pool.offered(), support.places().getAsInt()));
            }
        } catch (final IOException | RuntimeException e) {
            failed(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failed(e);
        }
    }

    /** Ends the part because its transport has gone. */
    private void disconnected(final String reason) {
        listener.report(new Message.Progress(Message.Phase.FAILED, ExitStatus.NO_CLUSTER, reason));
        order(new Message.Order(Message.Verb.CANCEL, reason));
    }

    /** Returns the id of the job. */
    synchronized String job() {
        return spec.id();
    }

    /** Returns whether other ranks may run in the JVM of the part, and other jobs later: a rank that has a JVM of its own is a process. */
    synchronized boolean isShared() {
        return !RanksPerJvm.isAlone(spec);
    }

    @Override
    public void failed(final Throwable cause) {
        final Message failure = new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, Protocol.oneLine(cause));
        final JvmPool.Taken of;
        synchronized (this) {
            of = taken;
            last = last == null ? failure : last;
        }
        if (of == null) {
            over(failure);
        } else {
            of.jvm().end();
        }
    }

    @Override
    public void connect(final Message.Connect with) {
        synchronized (this) {
            agreed = with.agreement();
            if (modules != null) {
                modules.keep(agreed.keptOn(spec.self()));
            }
            services = new PartServices(support, with.daemons(), PlanProver.NONE, Objects.requireNonNull(checkpoints, "the part is prepared"), this);
        }
        post(with);
    }

    @Override
    public void order(final Message.Order order) {
        if (order.verb() == Message.Verb.END_SPAWNED) {
            spawned.end(order.reason());
            return;
        }
        if (order.verb() == Message.Verb.CANCEL) {
            final boolean isEarly;
            synchronized (this) {
                cancelled = order.reason();
                isEarly = !isPrepared;
            }
            if (isEarly) {
                end();
                return;
            }
            later(CANCEL_SECONDS, this::end);
        }
        post(order);
    }

    @Override
    public void order(final Message.PointOrder order) {
        post(order);
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        throw new IllegalStateException("the JVM of the part reports: number=" + report.number());
    }

    @Override
    public void inspect(final Message.Inspect question) {
        post(question);
    }

    @Override
    public void input(final byte[] bytes) {
        final JvmPool.Taken to = taken();
        if (to != null) {
            to.channel().postInput(bytes);
        }
    }

    @Override
    public boolean hasSpawned() {
        return !spawned.isEmpty();
    }

    @Override
    public void spawn(final SpawnRequest request, final CompletableFuture<String> ended) throws IOException {
        final JobSpec parent;
        final AgreedModules agreement;
        final String by;
        synchronized (this) {
            parent = spec;
            agreement = Objects.requireNonNull(agreed, "ranks run after the agreement");
            by = owner;
        }
        spawned.spawn(request, parent, by, agreement, support, ended);
    }

    /** Returns what this node does for the ranks. */
    RankServices ranks() {
        return ranks;
    }

    /** Returns the number of ranks that have not ended. */
    int running() {
        return running.size();
    }

    /** Sends a message to the JVM of the part, if it has one. */
    void post(final Message message) {
        final JvmPool.Taken to = taken();
        if (to != null) {
            to.channel().post(message);
        }
    }

    private synchronized boolean isCancelled() {
        return cancelled != null;
    }

    private synchronized JvmPool.@Nullable Taken taken() {
        return taken;
    }

    /** Returns the JVM, which the part has. Called under the lock. */
    private JobJvm jvm() {
        return Objects.requireNonNull(taken, "a JVM").jvm();
    }

    private static void later(final long seconds, final Runnable action) {
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(action);
    }

    /** Kills the JVM of the part, which has nothing to do any more. */
    private void end() {
        final JvmPool.Taken of;
        synchronized (this) {
            if (isEnded && isShared()) {
                return;
            }
            of = taken;
            last = last == null ? new Message.Progress(Message.Phase.ENDED, 0, "") : last;
        }
        if (of != null) {
            of.jvm().end();
        }
    }

    /** Notifies that the part has ended, and that its JVM lives. That of a rank of its own ends first, as a process does. */
    private void ended(final Message.Progress end) {
        final JobJvm own;
        synchronized (this) {
            isEnded = true;
            last = last == null ? end : last;
            own = isShared() ? null : jvm();
        }
        if (own == null) {
            finish(false);
        } else {
            own.close();
        }
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.Progress p when p.phase() == Message.Phase.ENDED -> ended(p);
            case Message.Progress p when p.phase() == Message.Phase.FAILED -> {
                listener.report(p);
                later(CANCEL_SECONDS, this::end);
            }
            case Message.RankEnded r -> {
                output.add(new Piece(r));
                if (running.remove(r.rank()) && running.isEmpty()) {
                    later(END_SECONDS, this::end);
                }
            }
            case Message.Prepared p -> {
                synchronized (this) {
                    isPrepared = true;
                }
                listener.report(p);
            }
            default -> listener.report(message);
        }
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        output.add(new Piece(rank, error ? Kind.ERR : Kind.OUT, bytes));
    }

    @Override
    public void trace(final int rank, final byte[] bytes) {
        output.add(new Piece(rank, Kind.TRACE, bytes));
    }

    @Override
    public void report(final InterceptorReport.Piece piece) {
        output.add(new Piece(piece));
    }

    @Override
    public void inputCredit(final int bytes) {
        listener.inputWanted();
    }

    @Override
    public void closed(final String reason) {
        // the end of the process tells more
    }

    private void returnCredit(final int bytes) {
        final JvmPool.Taken to = taken();
        if (to != null) {
            to.channel().postOutputCredit(bytes);
        }
    }

    /** Passes output on, which blocks while the coordinator grants no credit. */
    private void relay() {
        try {
            for (Piece p = output.take(); p != LAST; p = output.take()) {
                switch (p.kind()) {
                    case TRACE -> listener.traced(p.rank(), p.bytes());
                    case REPORT -> listener.reported(Objects.requireNonNull(p.report(), "report"));
                    case ENDED -> listener.report(Objects.requireNonNull(p.end(), "end"));
                    case OUT, ERR -> listener.printed(p.rank(), p.kind() == Kind.ERR, p.bytes());
                }
                credit.consumed(p.bytes().length);
            }
        } catch (final InterruptedException e) {
            LOG.debug("output is not passed on any more", e);
        }
    }

    private void jvmEnded(final String reason) {
        synchronized (this) {
            if (isEnded && isShared()) {
                return;
            }
            final OptionalInt exit = isShared() || last != null ? OptionalInt.empty() : jvm().exit();
            if (exit.isPresent() && !running.isEmpty()) {
                // the program has ended its process in a way of which the JVM does not know
                output.add(new Piece(new Message.RankEnded(running.iterator().next(), RankOutcome.Kind.EXITED, exit.getAsInt(), "")));
                last = new Message.Progress(Message.Phase.ENDED, 0, "");
            } else if (last == null) {
                last = new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, "the JVM of job " + spec.id() + " has ended (pid="
                    + jvm().pid() + "): " + reason);
            }
        }
        finish(true);
    }

    /** Reports the end of the part when its output is passed on; that may take as long as the user of the job takes to read it, who may end it. */
    private void finish(final boolean isKilled) {
        Thread.ofVirtual().name("tutti-part-end").start(() -> {
            output.add(LAST);
            try {
                boolean isPassedOn = relay.join(DRAIN);
                while (!isPassedOn && !isKilled && !isCancelled()) {
                    isPassedOn = relay.join(DRAIN);
                }
                if (!isPassedOn) {
                    relay.interrupt();
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            final Message end;
            synchronized (this) {
                end = Objects.requireNonNull(last, "a reason");
            }
            over(end);
        });
    }

    private void over(final Message end) {
        final JobCheckpoints kept;
        final JvmPool.Taken of;
        final TransportRegistry.Use watched;
        final NodeModules.Pinned pinned;
        final boolean hasEnded;
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
            kept = checkpoints;
            of = taken;
            watched = transport;
            pinned = modules;
            hasEnded = isEnded;
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
        support.names().release(this);
        TempFolders.delete(folder);
        running.clear();
        if (of != null) {
            of.jvm().ignore(onJvmEnd);
            of.channel().close();
        }
        pool.released(this, of == null ? null : of.jvm(), hasEnded);
        listener.report(end);
    }

    /** Serves the ranks. Their calls may arrive as soon as the part is connected. */
    private final class Ranks implements RankServices {
        /** Completed when a spawned job is to be ended, by the number of its request; either may come first. */
        private final Map<Long, CompletableFuture<Void>> cancels = new ConcurrentHashMap<>();

        private JobServices services() {
            synchronized (JvmPart.this) {
                return Objects.requireNonNull(services, "the part is not connected");
            }
        }

        private JobCheckpoints checkpoints() {
            synchronized (JvmPart.this) {
                return Objects.requireNonNull(checkpoints, "the job has no checkpoints");
            }
        }

        private CompletionStage<Void> step(final CheckpointStep step) {
            return Conversation.result(() -> {
                step.run(checkpoints());
                return null;
            });
        }

        @Override
        public CompletionStage<Void> publish(final String name, final String port) {
            return services().publish(name, port);
        }

        @Override
        public CompletionStage<String> lookup(final String name) {
            return services().lookup(name);
        }

        @Override
        public CompletionStage<Boolean> unpublish(final String name) {
            return services().unpublish(name);
        }

        @Override
        public CompletionStage<String> spawn(final long number, final SpawnRequest request) {
            final CompletableFuture<String> ended = services().spawn(request).toCompletableFuture();
            final CompletionStage<Void> cancel = cancels.computeIfAbsent(number, n -> new CompletableFuture<>());
            cancel.thenRun(() -> ended.cancel(false));
            return ended.whenComplete((text, e) -> cancels.remove(number));
        }

        @Override
        public void cancelSpawn(final long number) {
            cancels.computeIfAbsent(number, n -> new CompletableFuture<>()).complete(null);
        }

        @Override
        public CompletionStage<String> restored(final int rank) {
            return Conversation.result(() -> {
                final Path file = folder.resolve("restored-" + rank);
                Files.createDirectories(folder);
                RankFile.write(file, rank, Objects.requireNonNull(checkpoints().restored(rank), "the job continues from a checkpoint"));
                return file.toAbsolutePath().toString();
            });
        }

        @Override
        public CompletionStage<Void> write(final int checkpoint, final String file) {
            return step(kept -> {
                try (RankFile state = RankFile.open(Path.of(file))) {
                    kept.write(checkpoint, state.saved());
                }
            });
        }

        @Override
        public CompletionStage<Void> complete(final int checkpoint) {
            return step(kept -> kept.complete(checkpoint));
        }

        @Override
        public CompletionStage<Void> discard(final int checkpoint) {
            return step(kept -> kept.discard(checkpoint));
        }

        @Override
        public CompletionStage<Void> removeOlder(final int checkpoint) {
            return step(kept -> kept.removeOlder(checkpoint));
        }
    }

    /** Step of a checkpoint. Blocks. */
    private interface CheckpointStep {
        void run(JobCheckpoints checkpoints) throws IOException;
    }
}
