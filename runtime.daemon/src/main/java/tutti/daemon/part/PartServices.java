package tutti.daemon.part;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/** Services of this daemon for the ranks of a part of a job. Each call is carried out on a thread of its own, since it may ask other nodes. */
public final class PartServices implements JobServices {
    private final Node node;
    private final JobSpec spec;
    private final @Nullable String owner;
    private final AgreedJob job;
    private final PlanProver prover;
    private final CheckpointStorage checkpoints;
    private final PartListener listener;
    private final SpawnedJobs spawned;

    /**
     * What a node has for the parts of all jobs.
     *
     * @param transport the node's own transport, with TLS where the cluster has certificates
     * @param names     names of ports
     */
    public record Node(Transport transport, PublishedNames names, Cluster cluster) {
        /** Returns the number of cores of all nodes of the cluster. */
        int places() {
            return cluster.nodes().stream().mapToInt(NodeInfo::cores).sum();
        }
    }

    /**
     * Creates the services of a part, which own the names that its ranks publish.
     *
     * @param owner    who runs the job; null if that is not known
     * @param listener listener of the part
     */
    PartServices(final Node node, final JobSpec spec, final @Nullable String owner, final AgreedJob job, final PlanProver prover,
        final CheckpointStorage checkpoints, final PartListener listener, final SpawnedJobs spawned) {
        this.node = node;
        this.spec = spec;
        this.owner = owner;
        this.job = job;
        this.prover = prover;
        this.checkpoints = checkpoints;
        this.listener = listener;
        this.spawned = spawned;
    }

    @Override
    public Transport transport() {
        return node.transport();
    }

    @Override
    public List<NodeAddress> nodes() {
        return job.daemons();
    }

    @Override
    public PlanProver prover() {
        return prover;
    }

    @Override
    public CheckpointStorage checkpoints() {
        return checkpoints;
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        listener.checkpointed(report);
    }

    @Override
    public int places() {
        return node.places();
    }

    @Override
    public CompletionStage<Void> publish(final String name, final String port) {
        return async(() -> {
            node.names().publish(name, port, this);
            return null;
        });
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return async(() -> node.names().lookup(name));
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return async(() -> node.names().unpublish(name, this));
    }

    @Override
    public CompletionStage<String> spawn(final SpawnRequest request) {
        final CompletableFuture<String> ended = new CompletableFuture<>();
        onThread("tutti-spawn", () -> spawned.spawn(request, spec, owner, job.agreement(), ended), ended);
        return ended;
    }

    /** Ends the services: withdraws the names of the ranks. */
    void close() {
        node.names().release(this);
    }

    private static <T> CompletableFuture<T> async(final Callable<T> code) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        onThread("tutti-names", () -> result.complete(code.call()), result);
        return result;
    }

    /** Code that may fail. */
    private interface Step {
        void run() throws Exception;
    }

    private static void onThread(final String name, final Step code, final CompletableFuture<?> result) {
        // a rank's thread calls: threads of the node must not have its class loader, by which threads of a rank are found and stopped
        Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false).start(() -> {
            try {
                code.run();
            } catch (final IOException e) {
                result.completeExceptionally(e);
            } catch (final Exception e) {
                result.completeExceptionally(new IOException("internal error: " + e, e));
            }
        });
    }
}
