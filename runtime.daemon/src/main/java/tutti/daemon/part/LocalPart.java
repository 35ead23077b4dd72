package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.inspect.RankState;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.process.owner.RankOutcome;

/** Part of a job whose ranks run in this JVM: a job JVM, or that of a node for one run. */
final class LocalPart implements PreparablePart, TransportRegistry.User, JobListener {
    private final PartListener listener;
    private final PartOutput output;
    private final PartSupport support;
    private final JobHost host;
    private final JobTransports transports;
    private final Path folder;
    private final SpawnedJobs spawned;
    private final AtomicBoolean finished = new AtomicBoolean();
    /** Guarded by this object, as the following fields. */
    private JobTransport transport = JobTransport.MISSING;
    /** Null before it is prepared. */
    private @Nullable LocalJob job;
    /** Null before it is opened, and where the node has them. */
    private @Nullable JobCheckpoints checkpoints;
    /** Why it was cancelled; null while it was not. */
    private @Nullable String cancelled;
    private @Nullable String owner;
    /** Whether it could not connect: the coordinator learns that from its call, which the ends of the ranks must not overtake. */
    private boolean isUnconnected;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    LocalPart(final PartListener listener, final PartOutput output, final PartSupport support, final JobHost host,
        final JobTransports transports, final Path folder) {
        this.host = host;
        this.transports = transports;
        this.listener = listener;
        this.output = output;
        this.support = support;
        this.folder = folder;
        this.spawned = new SpawnedJobs(listener, output, support.spawner());
    }

    /** Refuses a part with more ranks than the node takes. */
    static void checkRanks(final JobSpec spec, final int most) throws IOException {
        final int ranks = RanksPerJvm.ranks(spec).size();
        if (ranks > most) {
            throw new IOException("too many ranks: ranks=" + ranks + ", max=" + most + ", limit=" + NodeProperties.RANKS
                + "; start fewer, use more nodes, or raise the limit in the node's configuration");
        }
    }

    @Override
    public PreparedPart prepare(final Preparation order, final JobSpec spec) throws CallFailedException {
        output.open(listener);
        try {
            checkRanks(spec, support.maxRanks());
            final JobCheckpoints kept = support.openCheckpoints(spec, order.restart());
            synchronized (this) {
                checkpoints = kept;
                owner = order.owner();
            }
            final JobTransport opened = transports.open(order.transport(), this);
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
            if (reason == null) {
                return new PreparedPart(prepared.catalogue(), transports.schemes(), opened.address());
            }
            prepared.cancel(reason);
        } catch (final IOException | RuntimeException | LinkageError e) {
            // classes may be missing after a module has started
            throw failed(e);
        }
        throw new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled");
    }

    /** Ends a part that could not be prepared; returns the failure of the call. */
    private CallFailedException failed(final Throwable cause) {
        if (finished.compareAndSet(false, true)) {
            release();
            output.end();
        }
        return cause instanceof final CallFailedException known ? known : new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(cause));
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob of) {
        final LocalJob current;
        final JobTransport over;
        synchronized (this) {
            current = job;
            over = transport;
        }
        if (current == null) {
            return CompletableFuture.failedStage(new CallFailedException(ExitStatus.FAILED, "agreement before the part is prepared"));
        }
        if (over.transport() == null) {
            endUnconnected("the transport is missing");
            return CompletableFuture.failedStage(
                new CallFailedException(ExitStatus.NO_CLUSTER, "agreement on a transport that this node does not have"));
        }
        current.serve(support.services(this, of));
        final CompletableFuture<Void> connected = new CompletableFuture<>();
        current.connect(of.agreement(), over.transport(), of.nodes()).whenComplete((done, e) -> {
            over.stopListening();
            if (e == null) {
                connected.complete(null);
            } else {
                final String reason = Protocol.oneLine(e);
                connected.completeExceptionally(new CallFailedException(ExitStatus.NO_CLUSTER, reason));
                endUnconnected(reason);
            }
        });
        return connected.minimalCompletionStage();
    }

    /** Ends the ranks, of whose ends the coordinator is not told. */
    private void endUnconnected(final String reason) {
        synchronized (this) {
            isUnconnected = true;
        }
        cancel(reason);
    }

    private synchronized boolean isUnconnected() {
        return isUnconnected;
    }

    /** Returns the job, which is prepared. */
    private synchronized LocalJob job() {
        return Objects.requireNonNull(job, "the part is prepared");
    }

    private synchronized @Nullable LocalJob prepared() {
        return job;
    }

    /** Returns the checkpoints of the part; null where the node has them. */
    synchronized @Nullable JobCheckpoints checkpoints() {
        return checkpoints;
    }

    /** Returns the specification of the job, which is prepared. */
    JobSpec spec() {
        return job().spec();
    }

    /** Returns who runs the job; null if that is not known. */
    synchronized @Nullable String owner() {
        return owner;
    }

    PartListener listener() {
        return listener;
    }

    SpawnedJobs spawned() {
        return spawned;
    }

    @Override
    public void start() {
        job().start();
    }

    @Override
    public void cancel(final String reason) {
        final LocalJob current;
        synchronized (this) {
            current = job;
            cancelled = reason;
        }
        if (current != null) {
            current.cancel(reason);
        }
    }

    @Override
    public void endSpawned(final String reason) {
        spawned.end(reason);
    }

    @Override
    public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
        final LocalJob current = prepared();
        return CompletableFuture.supplyAsync(() -> current == null ? List.of() : current.inspect(waitedMillis),
            task -> Thread.ofVirtual().name("tutti-inspect").start(task));
    }

    @Override
    public CompletionStage<Long> lastPoint() {
        final LocalJob current = prepared();
        return CompletableFuture.completedStage(current == null ? 0 : current.lastPoint());
    }

    @Override
    public void checkpointAt(final long point) {
        final LocalJob current = prepared();
        if (current != null) {
            current.checkpointAt(point);
        }
    }

    @Override
    public void transportLost(final String reason) {
        listener.failed(ExitStatus.NO_CLUSTER, reason);
        cancel(reason);
    }

    /** Ends the part because of a plan that is wrong; its data may be wrong, too. */
    void wrong(final String reason) {
        listener.failed(ExitStatus.FAILED, reason);
        cancel(reason);
    }

    private void ended() {
        if (finished.compareAndSet(false, true)) {
            release();
            if (isUnconnected()) {
                output.end();
            } else {
                output.partEnded();
            }
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
        support.ended(this);
        TempFolders.delete(folder);
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        try {
            output.print(rank, error, bytes);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void traced(final RankTrace trace) {
        output.trace(trace);
    }

    @Override
    public void reported(final InterceptorReport report) {
        try {
            output.report(report);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void inputWanted() {
        listener.input().whenComplete((bytes, e) -> job().input(e == null ? bytes : new byte[0]));
    }

    @Override
    public void rankEnded(final int rank, final RankOutcome end) {
        if (!isUnconnected()) {
            output.rankEnded(rank, end);
        }
    }

    @Override
    public void nodeLost(final int node, final String reason) {
        listener.nodeLost(node, reason);
    }
}
