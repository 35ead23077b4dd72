package tutti.daemon.control;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<String>> open = new ConcurrentHashMap<>();
    /** Set by {@link #of}. */
    private volatile Transport transport;
    private volatile List<NodeAddress> nodes = List.of();
    private volatile PlanProver prover = PlanProver.NONE;
    private volatile int places;
    private volatile CheckpointStorage checkpoints = CheckpointStorage.NONE;

    /** Creates services that are requested over a channel. */
    JvmServices(final ControlChannel channel) {
        this.channel = channel;
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

    /** Receives the answer of the node. */
    void served(final Message.Served answer) {
        final CompletableFuture<String> result = open.remove(answer.id());
        if (result != null && answer.done()) {
            result.complete(answer.text());
        } else if (result != null) {
            result.completeExceptionally(new IOException(answer.text()));
        }
    }

    private CompletableFuture<String> request(final Message.Service service, final String name, final String port, final SpawnRequest spawn) {
        final long id = numbers.incrementAndGet();
        final CompletableFuture<String> result = new CompletableFuture<>();
        open.put(id, result);
        channel.post(new Message.Serve(id, service, name, port, spawn));
        if (service == Message.Service.SPAWN) {
            final CompletionStage<String> awaited = result;
            awaited.whenComplete((text, e) -> {
                if (result.isCancelled()) {
                    open.remove(id);
                    channel.post(new Message.Serve(id, Message.Service.CANCEL_SPAWN, null, null, null));
                }
            });
        }
        return result;
    }

    /** Requests a step of a checkpoint. */
    CompletableFuture<String> checkpoint(final String step, final String arguments) {
        return request(Message.Service.CHECKPOINT, step, arguments, null);
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
        return request(Message.Service.PUBLISH, name, port, null).thenAccept(text -> {
            // there is no result
        });
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return request(Message.Service.LOOKUP, name, null, null);
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return request(Message.Service.UNPUBLISH, name, null, null).thenApply(Boolean::parseBoolean);
    }

    @Override
    public CompletionStage<String> spawn(final SpawnRequest request) {
        return request(Message.Service.SPAWN, null, null, request);
    }
}
