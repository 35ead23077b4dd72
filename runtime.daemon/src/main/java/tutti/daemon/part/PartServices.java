package tutti.daemon.part;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/**
 * Services of this daemon for the ranks of a part of a job, here or in a job JVM. Each call is carried out on a thread of its own, since it may ask
 * other nodes.
 *
 * @param part      the part, which owns the names that its ranks publish
 * @param names     names of ports
 * @param agreement agreement of its job
 */
public record PartServices(PreparablePart part, PublishedNames names, AgreedModules agreement) implements RankServices {

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
        return async("tutti-spawn", () -> part.spawned().spawn(request, part.spec(), part.owner(), agreement)).thenCompose(ended -> ended);
    }

    @Override
    public void cancelSpawn(final String parent) {
        part.spawned().cancel(parent);
    }

    @Override
    public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
        return part.listener().replace(request);
    }

    @Override
    public CompletionStage<Void> inFinalize(final int rank) {
        return part.listener().inFinalize(rank);
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        part.listener().checkpointed(report);
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
                // Cause: another process has the temporary folder of the node. Remedy: start the node again.
                result.completeExceptionally(new IOException("internal error: " + e, e));
            }
        });
        return result;
    }
}
