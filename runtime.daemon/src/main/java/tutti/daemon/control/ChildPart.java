package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ChannelReceiver;
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
import tutti.runtime.module.PlanProver;

/**
 * Part of a job on this node whose ranks run in a JVM of their own: passes orders to the {@link JobPart} there and its reports to the coordinator,
 * serves its ranks, and ends that JVM. Safe for any thread.
 */
final class ChildPart implements NodePart, ChannelReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(ChildPart.class);
    /** How long the ranks of a cancelled part may take to end before their JVM is killed; less than a coordinator waits for the part. */
    private static final long CANCEL_SECONDS = 3;
    /** How long the JVM may take to end the part when all ranks have ended. */
    private static final long END_SECONDS = 5;
    /** How long the last output may take to be sent. */
    private static final Duration DRAIN = Duration.ofSeconds(2);
    private static final Piece LAST = new Piece(0, Kind.OUT, new byte[0]);

    private enum Kind { OUT, ERR, TRACE, REPORT }

    /** Kind of a piece that the JVM sends beside messages; that of a report has a record of its own, too. */
    private record Piece(int rank, Kind kind, byte[] bytes, InterceptorReport.@Nullable Piece report) {
        Piece(final int rank, final Kind kind, final byte[] bytes) {
            this(rank, kind, bytes, null);
        }

        Piece(final InterceptorReport.Piece report) {
            this(0, Kind.REPORT, report.bytes(), report);
        }
    }

    private final JobPartListener listener;
    private final PartSupport support;
    private final Path folder;
    private final ChildPool pool;
    private final SpawnedJobs spawned;
    private final BlockingQueue<Piece> output = new LinkedBlockingQueue<>();
    private final CreditBatch credit = new CreditBatch(Protocol.NODE_OUTPUT_CREDIT, this::returnCredit);
    private final Set<Integer> running = ConcurrentHashMap.newKeySet();
    /** The jobs that ranks wait for, by the number of their request. */
    private final Map<Long, CompletableFuture<String>> waitedFor = new ConcurrentHashMap<>();
    private final Thread relay = Thread.ofVirtual().name("tutti-isolated-output").inheritInheritableThreadLocals(false).unstarted(this::relay);
    /** Guarded by this object, as the following fields. */
    private Child child;
    private JobSpec spec;
    private AgreedModules agreed;
    private JobServices services;
    private JobCheckpoints checkpoints;
    private String cancelled;
    private boolean isPrepared;
    /** The message that reports the end of the part once the JVM has ended; null while an end of the JVM is an error. */
    private Message last;
    private boolean isOver;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    ChildPart(final JobPartListener listener, final PartSupport support, final Path folder, final ChildPool pool) {
        this.listener = listener;
        this.support = support;
        this.folder = folder;
        this.pool = pool;
        this.spawned = new SpawnedJobs(listener);
    }

    @Override
    public void prepare(final JobSpec of, final String scheme, final Message.Restart restart, final JobHost host, final JobTransports transports) {
        try {
            JobPart.checkRanks(of, support);
            final JobCheckpoints kept = JobPart.openCheckpoints(of, support, restart);
            synchronized (this) {
                spec = of;
                checkpoints = kept;
            }
            IntStream.range(0, of.size()).filter(r -> of.nodeOfRank().get(r) == of.self()).forEach(running::add);
            final Child taken = pool.take(this);
            relay.start();
            final boolean isCancelled;
            synchronized (this) {
                child = taken;
                isCancelled = cancelled != null;
            }
            taken.ended().thenAccept(this::childEnded);
            if (isCancelled) {
                end();
            } else {
                final Message.Prepare prepare = new Message.Prepare(of.id(), of.key(), scheme, of.nodes(), of.nodeOfRank(), of.self(), of.programs(),
                    List.of(), of.parent(), of.environment(), restart);
                taken.channel().post(new Message.PrepareIsolated(prepare, of.classPath().stream().map(p -> p.toAbsolutePath().toString()).toList(),
                    pool.offered(), support.places().getAsInt()));
            }
        } catch (final IOException | RuntimeException e) {
            failed(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failed(e);
        }
    }

    @Override
    public void failed(final Throwable cause) {
        final Message failure = new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, Protocol.oneLine(cause));
        final Child of;
        synchronized (this) {
            of = child;
            last = last == null ? failure : last;
        }
        if (of == null) {
            over(failure);
        } else {
            of.end();
        }
    }

    @Override
    public void connect(final Message.Connect with) {
        synchronized (this) {
            agreed = with.agreement();
            services = new PartServices(support, with.daemons(), PlanProver.NONE, checkpoints, this);
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
        final Child to = child();
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
        synchronized (this) {
            parent = spec;
            agreement = agreed;
        }
        spawned.spawn(request, parent, agreement, support, ended);
    }

    /** Returns the number of ranks that have not ended. */
    int running() {
        return running.size();
    }

    /** Sends a message to the JVM of the part, if it has one. */
    void post(final Message message) {
        final Child to = child();
        if (to != null) {
            to.channel().post(message);
        }
    }

    private synchronized Child child() {
        return child;
    }

    private static void later(final long seconds, final Runnable action) {
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(action);
    }

    /** Kills the JVM of the part, which has nothing to do any more. */
    private void end() {
        final Child of;
        synchronized (this) {
            of = child;
            last = last == null ? new Message.Progress(Message.Phase.ENDED, 0, "") : last;
        }
        if (of != null) {
            of.end();
        }
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.Serve s -> serve(s);
            case Message.Quarantined q -> Thread.ofVirtual().name("tutti-quarantine").start(() -> pool.merge(q.changed()));
            case Message.Usage u -> pool.used(u);
            case Message.Progress p when p.phase() == Message.Phase.ENDED -> end();
            case Message.Progress p when p.phase() == Message.Phase.FAILED -> {
                listener.report(p);
                later(CANCEL_SECONDS, this::end);
            }
            case Message.RankEnded r -> {
                listener.report(r);
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
        final Child to = child();
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
                    case REPORT -> listener.reported(p.report());
                    case OUT, ERR -> listener.printed(p.rank(), p.kind() == Kind.ERR, p.bytes());
                }
                credit.consumed(p.bytes().length);
            }
        } catch (final InterruptedException e) {
            LOG.debug("output is not passed on any more", e);
        }
    }

    private void childEnded(final String reason) {
        final Message end;
        synchronized (this) {
            end = last == null ? new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, "the JVM of job " + spec.id() + " has ended (pid="
                + child.pid() + "): " + reason) : last;
        }
        Thread.ofVirtual().name("tutti-isolated-end").start(() -> {
            output.add(LAST);
            try {
                if (!relay.join(DRAIN)) {
                    relay.interrupt();
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            over(end);
        });
    }

    private void over(final Message end) {
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
        }
        final JobCheckpoints kept;
        synchronized (this) {
            kept = checkpoints;
        }
        if (kept != null) {
            kept.close();
        }
        running.clear();
        support.names().release(this);
        TempFolders.delete(folder);
        pool.released(this);
        listener.report(end);
    }

    private void serve(final Message.Serve s) {
        final JobServices by;
        synchronized (this) {
            by = services;
        }
        switch (s.service()) {
            case PUBLISH -> answer(s, by.publish(s.name(), s.port()).thenApply(done -> ""));
            case LOOKUP -> answer(s, by.lookup(s.name()));
            case UNPUBLISH -> answer(s, by.unpublish(s.name()).thenApply(String::valueOf));
            case SPAWN -> {
                final CompletableFuture<String> ended = (CompletableFuture<String>) by.spawn(s.spawn());
                waitedFor.put(s.id(), ended);
                answer(s, ended.whenComplete((text, e) -> waitedFor.remove(s.id())));
            }
            case CHECKPOINT -> Thread.ofVirtual().name("tutti-checkpoint").start(() -> {
                final CompletableFuture<String> result = new CompletableFuture<>();
                try {
                    result.complete(checkpoint(ChildCheckpoints.Step.valueOf(s.name()), s.port().split(" ", 2)));
                } catch (final IOException | RuntimeException e) {
                    result.completeExceptionally(e);
                }
                answer(s, result);
            });
            case CANCEL_SPAWN -> {
                final CompletableFuture<String> ended = waitedFor.get(s.id());
                if (ended != null) {
                    ended.cancel(false);
                }
            }
        }
    }

    /** Carries out a step of a checkpoint for the ranks; returns its result. Blocks. */
    private String checkpoint(final ChildCheckpoints.Step step, final String[] arguments) throws IOException {
        final JobCheckpoints kept;
        synchronized (this) {
            kept = checkpoints;
        }
        final int number = Integer.parseInt(arguments[0]);
        switch (step) {
            case RESTORED -> {
                final Path file = folder.resolve("restored-" + number);
                Files.createDirectories(folder);
                RankFile.write(file, number, kept.restored(number));
                return file.toAbsolutePath().toString();
            }
            case WRITE -> {
                try (RankFile file = RankFile.open(Path.of(arguments[1]))) {
                    kept.write(number, file.saved());
                }
            }
            case COMPLETE -> kept.complete(number);
            case DISCARD -> kept.discard(number);
            case REMOVE_OLDER -> kept.removeOlder(number);
        }
        return "";
    }

    private void answer(final Message.Serve request, final CompletionStage<String> result) {
        result.whenComplete((text, e) -> post(new Message.Served(request.id(), e == null, e == null ? text : Protocol.oneLine(e))));
    }
}
