package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TraceCodec;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.process.owner.RankOutcome;

/** Part of a job that runs on this node: carries out the coordinator's orders and reports their results. Safe for any thread. */
final class JobPart implements NodePart, JobListener {
    private static final Logger LOG = LoggerFactory.getLogger(JobPart.class);

    private final JobPartListener listener;
    private final PartSupport support;
    private final Path folder;
    private final SpawnedJobs spawned;
    /** Null before the agreement. */
    private @Nullable AgreedModules agreed;
    private final AtomicBoolean finished = new AtomicBoolean();
    private JobTransport transport = JobTransport.MISSING;
    /** Null before it is prepared. */
    private @Nullable LocalJob job;
    /** Null before it is opened. */
    private @Nullable JobCheckpoints checkpoints;
    /** Why it was cancelled; null while it was not. */
    private @Nullable String cancelled;
    private @Nullable String owner;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    JobPart(final JobPartListener listener, final PartSupport support, final Path folder) {
        this.listener = listener;
        this.support = support;
        this.spawned = new SpawnedJobs(listener);
        this.folder = folder;
    }

    /**
     * Returns the specification of a part: with the jars as the class path, and the folder of staged files in the environment.
     *
     * @param files the request's files on this node
     */
    static JobSpec specWith(final Message.Prepare p, final List<Path> files) {
        final List<Path> classPath = new ArrayList<>();
        final Map<String, String> environment = new HashMap<>(p.environment());
        for (int i = 0; i < files.size(); i++) {
            if (p.files().get(i).staged()) {
                environment.put(JobSpec.FILES, Objects.requireNonNull(files.get(i).toAbsolutePath().getParent(), "folder of a file").toString());
            } else {
                classPath.add(files.get(i));
            }
        }
        return specOf(p.withoutFiles(environment), classPath);
    }

    /** Returns the specification of a part whose order names no files. */
    static JobSpec specOf(final Message.Prepare p, final List<Path> classPath) {
        return new JobSpec(p.job(), p.key(), p.nodes(), p.nodeOfRank(), p.self(), p.programs(), classPath, p.parent(), p.environment());
    }

    /** Refuses a part with more ranks than the node takes. */
    static void checkRanks(final JobSpec spec, final PartSupport support) throws IOException {
        final int ranks = RanksPerJvm.ranks(spec).size();
        if (ranks > support.maxRanks()) {
            throw new IOException("too many ranks: ranks=" + ranks + ", max=" + support.maxRanks() + ", limit=" + NodeProperties.RANKS
                + "; start fewer, use more nodes, or raise the limit in the node's configuration");
        }
    }

    /** Opens the checkpoints of a part, and fetches the states from which its ranks continue; null where the node does that. Blocks. */
    static @Nullable JobCheckpoints openCheckpoints(final JobSpec spec, final PartSupport support, final Message.@Nullable Restart restart)
        throws IOException {
        // several JVMs of a node keep their checkpoints there together
        final List<String> nodes = spec.nodes().stream().map(NodeAddress::nodeOf).distinct().toList();
        return support.checkpoints() == null ? null : support.checkpoints().here().open(restart == null ? spec.id() : restart.series(), spec.id(),
            nodes, nodes.indexOf(NodeAddress.nodeOf(spec.nodes().get(spec.self()))), RanksPerJvm.ranks(spec), restart);
    }

    @Override
    public void prepare(final JobSpec spec, final Message.Prepare prepare, final JobHost host, final JobTransports transports) {
        try {
            checkRanks(spec, support);
            final JobCheckpoints kept = openCheckpoints(spec, support, prepare.restart());
            synchronized (this) {
                checkpoints = kept;
                owner = prepare.owner();
            }
            final JobTransport opened = transports.open(prepare.transport(), this::disconnected);
            synchronized (this) {
                transport = opened;
            }
            final LocalJob prepared = host.prepare(spec, this);
            prepared.ended().thenRun(this::ended);
            final String reason;
            synchronized (this) {
                job = prepared;
                reason = cancelled;
            }
            if (reason != null) {
                prepared.cancel(reason);
            } else {
                listener.report(new Message.Prepared(prepared.catalogue(), transports.schemes(), opened.address()));
            }
        } catch (final IOException | RuntimeException e) {
            failed(e);
        }
    }

    @Override
    public void failed(final Throwable cause) {
        if (finished.compareAndSet(false, true)) {
            release();
            listener.report(new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, Protocol.oneLine(cause)));
        }
    }

    @Override
    public void connect(final Message.Connect with) {
        final LocalJob current;
        final JobTransport over;
        final JobCheckpoints kept;
        synchronized (this) {
            current = job;
            over = transport;
            kept = checkpoints;
            agreed = with.agreement();
        }
        if (current == null) {
            failed(new IllegalStateException("agreement before the part is prepared"));
        } else if (over.transport() == null) {
            connected(new IllegalStateException("agreement on a transport that this node does not have"));
        } else {
            current.serve(support.services().create(support, with.daemons(), support.prover().apply(this::wrong),
                kept == null ? CheckpointStorage.NONE : kept, this));
            current.connect(with.agreement(), over.transport(), with.nodes()).whenComplete((done, e) -> {
                over.stopListening();
                connected(e);
            });
        }
    }

    @Override
    public boolean hasSpawned() {
        return !spawned.isEmpty();
    }

    @Override
    public void spawn(final SpawnRequest request, final CompletableFuture<String> ended) throws IOException {
        final JobSpec spec;
        final AgreedModules agreement;
        final String by;
        synchronized (this) {
            spec = Objects.requireNonNull(job, "the part is prepared").spec();
            agreement = Objects.requireNonNull(agreed, "ranks run after the agreement");
            by = owner;
        }
        spawned.spawn(request, spec, by, agreement, support, ended);
    }

    @Override
    public void order(final Message.Order order) {
        if (order.verb() == Message.Verb.END_SPAWNED) {
            spawned.end(order.reason());
            return;
        }
        final LocalJob current;
        synchronized (this) {
            current = job;
            if (order.verb() == Message.Verb.CANCEL) {
                cancelled = order.reason();
            }
        }
        if (current == null) {
            if (order.verb() != Message.Verb.CANCEL) {
                failed(new IllegalStateException("order before the part is prepared: verb=" + order.verb()));
            }
            return;
        }
        switch (order.verb()) {
            case START -> current.start();
            case CANCEL -> current.cancel(order.reason());
            default -> throw new IllegalStateException("unknown order: " + order);
        }
    }

    @Override
    public void inspect(final Message.Inspect question) {
        final LocalJob current;
        synchronized (this) {
            current = job;
        }
        listener.report(new Message.Inspected(question.id(), current == null ? List.of() : current.inspect(question.waitedMillis())));
    }

    @Override
    public void order(final Message.PointOrder order) {
        final LocalJob current;
        synchronized (this) {
            current = job;
        }
        if (current != null && order.point() > 0) {
            current.checkpointAt(order.point());
        } else {
            listener.report(new Message.LastPoint(order.id(), current == null ? 0 : current.lastPoint()));
        }
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        listener.report(new Message.Checkpointed(report.number(), report.point(), report.bytes(), report.nanos(), report.problem()));
    }

    @Override
    public void input(final byte[] bytes) {
        final LocalJob current;
        synchronized (this) {
            current = Objects.requireNonNull(job, "the part is prepared");
        }
        current.input(bytes);
    }

    private void connected(final Throwable failure) {
        if (failure == null) {
            listener.report(new Message.Progress(Message.Phase.CONNECTED, 0, ""));
        } else {
            disconnected(Protocol.oneLine(failure));
        }
    }

    /** Ends the part because it cannot reach the others. The coordinator treats it as ended and sends no more orders. */
    private void disconnected(final String reason) {
        listener.report(new Message.Progress(Message.Phase.FAILED, ExitStatus.NO_CLUSTER, reason));
        order(new Message.Order(Message.Verb.CANCEL, reason));
    }

    /** Ends the part because of a plan that is wrong; its data may be wrong, too. */
    private void wrong(final String reason) {
        listener.report(new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, reason));
        order(new Message.Order(Message.Verb.CANCEL, reason));
    }

    private void ended() {
        if (finished.compareAndSet(false, true)) {
            release();
            listener.report(new Message.Progress(Message.Phase.ENDED, 0, ""));
        }
    }

    private void release() {
        final JobTransport used;
        final JobCheckpoints kept;
        synchronized (this) {
            used = transport;
            kept = checkpoints;
        }
        used.close();
        if (kept != null) {
            kept.close();
        }
        support.names().release(this);
        TempFolders.delete(folder);
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        try {
            int at = 0;
            while (bytes.length - at > Protocol.CHUNK) {
                final int end = pieceEnd(bytes, at);
                listener.printed(rank, error, Arrays.copyOfRange(bytes, at, end));
                at = end;
            }
            if (at < bytes.length) {
                listener.printed(rank, error, at == 0 ? bytes : Arrays.copyOfRange(bytes, at, bytes.length));
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns the end of the next piece. It is the end of a line, so that output of other ranks is not printed within a line, unless the line is
     * longer than a piece.
     */
    private static int pieceEnd(final byte[] bytes, final int from) {
        int end = from + Protocol.CHUNK;
        while (end > from && bytes[end - 1] != '\n') {
            end--;
        }
        return end > from ? end : from + Protocol.CHUNK;
    }

    @Override
    public void traced(final RankTrace trace) {
        try (ChunkedOutput out = new ChunkedOutput(Protocol.CHUNK, piece -> listener.traced(trace.rank(), piece))) {
            TraceCodec.write(trace, out);
        } catch (final IOException e) {
            LOG.warn("trace of rank {} was not sent", trace.rank(), e);
        }
    }

    @Override
    public void reported(final InterceptorReport report) {
        try {
            for (final InterceptorReport.Piece piece : report.pieces(Protocol.CHUNK)) {
                listener.reported(piece);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void inputWanted() {
        listener.inputWanted();
    }

    @Override
    public void rankEnded(final int rank, final RankOutcome end) {
        listener.report(new Message.RankEnded(rank, end.kind(), end.status(), Protocol.shorten(end.text(), Protocol.MAX_TEXT)));
    }

    @Override
    public void nodeLost(final int node, final String reason) {
        listener.report(new Message.NodeLost(node, reason));
    }
}
