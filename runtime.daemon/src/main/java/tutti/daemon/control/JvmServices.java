package tutti.daemon.control;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.protocol.Message;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/** Services for the ranks of a part in a job JVM: most are requested from the node that started the JVM. */
final class JvmServices implements JobServices {
    private final ControlChannel channel;
    private final RankServices node;
    private final AtomicLong numbers = new AtomicLong();
    @SuppressWarnings("NullAway.Init") // of sets it
    private volatile Transport transport;
    private volatile List<NodeAddress> nodes = List.of();
    private volatile PlanProver prover = PlanProver.NONE;
    private volatile int places;
    private volatile CheckpointStorage checkpoints = CheckpointStorage.NONE;

    /** Creates services that are requested over a channel. */
    JvmServices(final ControlChannel channel) {
        this.channel = channel;
        this.node = channel.conversation().peer(RankServices.class);
    }

    /** Sets what is known here. */
    JvmServices of(final Transport links, final List<NodeAddress> addresses, final PlanProver proofs, final int cores,
        final CheckpointStorage storage) {
        transport = links;
        nodes = List.copyOf(addresses);
        prover = proofs;
        places = cores;
        checkpoints = storage;
        return this;
    }

    @Override
    public CheckpointStorage checkpoints() {
        return checkpoints;
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        channel.post(new Message.Checkpointed(report.number(), report.point(), report.bytes(), report.nanos(), report.problem()));
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
