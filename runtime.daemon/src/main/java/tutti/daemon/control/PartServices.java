package tutti.daemon.control;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/** Services of this daemon for the ranks of a part of a job. Each call is carried out on a thread of its own, since it may ask other nodes. */
final class PartServices implements JobServices {
    private final PartSupport support;
    private final List<NodeAddress> nodes;
    private final PlanProver prover;
    private final CheckpointStorage checkpoints;
    private final NodePart owner;

    /** Creates the services of a part, which owns the names that its ranks publish. */
    PartServices(final PartSupport support, final List<NodeAddress> nodes, final PlanProver prover, final CheckpointStorage checkpoints,
        final NodePart owner) {
        this.support = support;
        this.nodes = List.copyOf(nodes);
        this.prover = prover;
        this.checkpoints = checkpoints;
        this.owner = owner;
    }

    @Override
    public Transport transport() {
        return support.transport();
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
    public CheckpointStorage checkpoints() {
        return checkpoints;
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        owner.checkpointed(report);
    }

    @Override
    public int places() {
        return support.places().getAsInt();
    }

    @Override
    public CompletionStage<Void> publish(final String name, final String port) {
        return async(() -> {
            support.names().publish(name, port, owner);
            return null;
        });
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return async(() -> support.names().lookup(name));
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return async(() -> support.names().unpublish(name, owner));
    }

    @Override
    public CompletionStage<String> spawn(final SpawnRequest request) {
        final CompletableFuture<String> ended = new CompletableFuture<>();
        onThread("tutti-spawn", () -> owner.spawn(request, ended), ended);
        return ended;
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
