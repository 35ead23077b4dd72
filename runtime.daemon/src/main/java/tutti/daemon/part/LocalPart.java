package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.inspect.RankState;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Transport;

/** Part of a job whose ranks run in this JVM: a job JVM, or that of a node for one run. */
final class LocalPart extends PreparablePart implements JobListener {
    private final JobHost host;
    private final JobTransports transports;
    /** Null before it is prepared. Guarded by this object, as the following field. */
    private @Nullable LocalJob job;
    private List<JobTransport> opened = List.of();
    /** Whether it could not connect: the coordinator learns that from its call, which the ends of the ranks must not overtake. */
    private volatile boolean isUnconnected;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    LocalPart(final PartListener listener, final PartOutput output, final PartSupport support, final JobHost host,
        final JobTransports transports, final Path folder) {
        super(listener, output, support, folder);
        this.host = host;
        this.transports = transports;
    }

    @Override
    void openTransports(final List<String> schemes) throws IOException {
        final List<JobTransport> all = transports.open(schemes, this);
        synchronized (this) {
            opened = all;
        }
    }

    @Override
    void closeTransports() {
        opened().forEach(JobTransport::close);
    }

    private synchronized List<JobTransport> opened() {
        return opened;
    }

    /** Returns the transports that were opened, and that of every node, by scheme. */
    Map<String, Transport> transports(final Transport tcp) {
        final Map<String, Transport> all = new HashMap<>(Map.of(Endpoint.TCP, tcp));
        opened().forEach(t -> all.put(t.endpoint().scheme(), t.transport()));
        return all;
    }

    @Override
    PreparedPart prepareRanks(final Preparation by, final JobSpec of) throws IOException {
        final LocalJob prepared = host.prepare(of, this);
        final String reason;
        synchronized (this) {
            job = prepared;
            reason = cancelled();
        }
        prepared.ended().thenRun(this::over);
        if (reason != null) {
            prepared.cancel(reason);
            throw new CallFailedException(ExitStatus.CANCELLED, "the part was cancelled");
        }
        return new PreparedPart(prepared.catalogue(), transports.schemes(),
            opened().stream().map(JobTransport::endpoint).toList()).at(prepared.locality());
    }

    @Override
    CallFailedException failed(final Throwable cause) {
        if (prepared() == null) {
            over();
        }
        return failure(cause);
    }

    @Override
    public CompletionStage<Void> connect(final AgreedJob of) {
        final LocalJob current = prepared();
        if (current == null) {
            return CompletableFuture.failedStage(unprepared());
        }
        current.serve(support().services(this, of));
        final CompletableFuture<Void> connected = new CompletableFuture<>();
        current.connect(of.agreement(), opened().stream().collect(Collectors.toMap(t -> t.endpoint().scheme(), JobTransport::transport)), of.nodes())
            .whenComplete((done, e) -> {
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
        isUnconnected = true;
        cancel(reason);
    }

    /** Returns the job, which is prepared. */
    private LocalJob job() {
        return Objects.requireNonNull(prepared(), "the part is prepared");
    }

    private synchronized @Nullable LocalJob prepared() {
        return job;
    }

    @Override
    public void start() {
        final LocalJob current = prepared();
        if (current == null) {
            throw new IllegalStateException("the part is not prepared");
        }
        Thread.ofVirtual().name("tutti-start").start(current::start);
    }

    @Override
    CompletionStage<Void> startSpareRank(final Replacement place, final List<NodeEndpoints> linked) {
        return job().start(place, linked)
            .exceptionallyCompose(e -> CompletableFuture.failedStage(new CallFailedException(ExitStatus.NO_CLUSTER, Protocol.oneLine(e))));
    }

    @Override
    public void cancel(final String reason) {
        final LocalJob current;
        synchronized (this) {
            current = job;
            setCancelled(reason);
        }
        if (current != null) {
            Thread.ofVirtual().name("tutti-cancel").start(() -> current.cancel(reason));
        }
    }

    @Override
    void loseRanks(final List<Integer> ranks, final String reason) {
        final LocalJob current = prepared();
        if (current != null) {
            current.lose(ranks.stream().mapToInt(Integer::intValue).toArray(), reason);
        }
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

    /** Step of a change of modules, which may block. */
    @FunctionalInterface
    private interface ChangeStep<T extends @Nullable Object> {
        CompletionStage<T> of(LocalJob job) throws IOException;
    }

    /** Takes a step of a change on a thread of its own. */
    private <T extends @Nullable Object> CompletionStage<T> take(final ChangeStep<T> step) {
        final LocalJob current = prepared();
        if (current == null) {
            return CompletableFuture.failedStage(unprepared());
        }
        final CompletableFuture<T> taken = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-change").inheritInheritableThreadLocals(false).start(() -> {
            try {
                step.of(current).whenComplete((result, e) -> {
                    if (e == null) {
                        taken.complete(result);
                    } else {
                        taken.completeExceptionally(failure(e));
                    }
                });
            } catch (final IOException | RuntimeException | LinkageError e) {
                // classes may be missing after a module has started
                taken.completeExceptionally(failure(e));
            }
        });
        return taken.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Catalogue> lease(final int change) {
        return take(j -> CompletableFuture.completedStage(j.lease(change)));
    }

    @Override
    public CompletionStage<Void> agree(final int change, final AgreedModules agreement) {
        return take(j -> {
            j.agree(change, agreement);
            return CompletableFuture.completedStage(null);
        });
    }

    @Override
    public CompletionStage<Void> change(final int change) {
        return take(j -> j.change(change));
    }

    @Override
    public void abandon(final int change) {
        final CompletionStage<Void> _ = take(j -> {
            j.abandon(change);
            return CompletableFuture.completedStage(null);
        });
    }

    @Override
    public void released(final List<ModuleId> kept) {
        listener().released(kept);
    }

    @Override
    public void tried(final CanaryReport report) {
        listener().tried(report);
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        listener().tuned(found);
    }

    /** Ends the part because of a plan that is wrong; its data may be wrong, too. */
    void wrong(final String reason) {
        listener().failed(ExitStatus.FAILED, reason);
        cancel(reason);
    }

    private void over() {
        release();
        if (isUnconnected || prepared() == null) {
            output().end();
        } else {
            output().partEnded();
        }
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        try {
            output().print(rank, error, bytes);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void traced(final RankTrace trace) {
        output().trace(trace);
    }

    @Override
    public void reported(final InterceptorReport report) {
        try {
            output().report(report);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void inputWanted() {
        listener().input().whenComplete((bytes, e) -> job().input(e == null ? bytes : new byte[0]));
    }

    @Override
    public void rankEnded(final int rank, final RankOutcome end) {
        if (!isUnconnected) {
            output().rankEnded(rank, end);
        }
    }

    @Override
    public void nodeLost(final int node, final String reason) {
        listener().nodeLost(node, reason);
    }
}
