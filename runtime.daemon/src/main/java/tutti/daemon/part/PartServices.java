package tutti.daemon.part;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.transport.Transport;

/**
 * Services of this daemon for the ranks of a part of a job, here or in a job JVM. Each call is carried out on a thread of its own, since it may ask
 * other nodes.
 *
 * @param names     names of ports, of which the part owns those that its ranks publish
 * @param part      the part
 * @param spec      its job
 * @param owner     who runs the job; null if that is not known
 * @param agreement agreement of the job
 * @param listener  listener of the part
 * @param spawned   the jobs that it has spawned
 */
public record PartServices(PublishedNames names, JobPart part, JobSpec spec, @Nullable String owner, AgreedModules agreement, PartListener listener,
    SpawnedJobs spawned) implements RankServices {

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

    @Override
    public CompletionStage<Void> publish(final String name, final String port) {
        return async("tutti-names", () -> {
            names.publish(name, port, part);
            return null;
        });
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return async("tutti-names", () -> names.lookup(name));
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return async("tutti-names", () -> names.unpublish(name, part));
    }

    @Override
    public CompletionStage<String> spawn(final SpawnRequest request) {
        return async("tutti-spawn", () -> spawned.spawn(request, spec, owner, agreement)).thenCompose(ended -> ended);
    }

    @Override
    public void cancelSpawn(final String parent) {
        spawned.cancel(parent);
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        listener.checkpointed(report);
    }

    private static <T> CompletableFuture<T> async(final String thread, final Callable<T> code) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        // a rank's thread calls: threads of the node must not have its class loader, by which threads of a rank are found and stopped
        Thread.ofVirtual().name(thread).inheritInheritableThreadLocals(false).start(() -> {
            try {
                result.complete(code.call());
            } catch (final IOException e) {
                result.completeExceptionally(e);
            } catch (final Exception e) {
                result.completeExceptionally(new IOException("internal error: " + e, e));
            }
        });
        return result;
    }
}
