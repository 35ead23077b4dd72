package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/** Services for the ranks of a part in a job JVM: most are requested from the node that started the JVM. */
final class JvmServices implements JobServices {
    private final RankServices node;
    private final PartListener listener;
    private final AtomicLong numbers = new AtomicLong();
    private final Transport transport;
    private final List<NodeAddress> nodes;
    private final PlanProver prover;
    private final int places;
    private final CheckpointStorage checkpoints;

    /**
     * Creates the services of a part.
     *
     * @param node      what the node does
     * @param listener  listener of the part
     * @param transport the node's own transport, with TLS where the cluster has certificates
     * @param nodes     where other jobs reach the ranks of the job
     * @param places    number of cores of the cluster
     */
    JvmServices(final RankServices node, final PartListener listener, final Transport transport, final List<NodeAddress> nodes,
        final PlanProver prover, final int places, final CheckpointStorage checkpoints) {
        this.node = node;
        this.listener = listener;
        this.transport = transport;
        this.nodes = List.copyOf(nodes);
        this.prover = prover;
        this.places = places;
        this.checkpoints = checkpoints;
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
    public Transport transport() {
        return transport;
    }

    @Override
    public List<NodeAddress> nodes() {
        return nodes;
    }

    @Override
    public PlanProver prover() {
        return prover;
    }

    @Override
    public int places() {
        return places;
    }

    @Override
    public CompletionStage<Void> publish(final String name, final String port) {
        return node.publish(name, port);
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return node.lookup(name);
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return node.unpublish(name);
    }

    @Override
    public CompletionStage<String> spawn(final SpawnRequest request) {
        final long number = numbers.incrementAndGet();
        final CompletableFuture<String> ended = node.spawn(number, request).toCompletableFuture();
        final CompletionStage<String> awaited = ended;
        awaited.whenComplete((text, e) -> {
            if (ended.isCancelled()) {
                node.cancelSpawn(number);
            }
        });
        return ended;
    }
}
