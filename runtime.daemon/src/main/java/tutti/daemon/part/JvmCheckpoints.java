package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.checkpoints.RankFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/**
 * The checkpoints of a job, in a JVM of its own: the node that started the JVM keeps them. States pass through files.
 *
 * @param folder   folder for files
 * @param restored number of the checkpoint from which the job continues; 0 if it begins anew
 * @param node     what the node does with them
 */
record JvmCheckpoints(Path folder, int restored, CheckpointFiles node) implements CheckpointStorage {
    private static final Logger LOG = LoggerFactory.getLogger(JvmCheckpoints.class);

    private static <T extends @Nullable Object> T await(final CompletionStage<T> step) throws IOException {
        try {
            return step.toCompletableFuture().get();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (final ExecutionException e) {
            throw new IOException(Protocol.oneLine(e), e);
        }
    }

    @Override
    public @Nullable StoredRank restored(final int rank) throws IOException {
        return restored == 0 ? null : RankFile.open(Path.of(await(node.restored(rank))));
    }

    @Override
    public List<Integer> held(final int number, final long point) throws IOException {
        return await(node.held(number, point));
    }

    @Override
    public StoredRank stored(final int number, final long point, final int rank, final int ranks) throws IOException {
        return RankFile.open(Path.of(await(node.stored(number, point, rank, ranks))));
    }

    @Override
    public void write(final int number, final SavedRank state) throws IOException {
        final Path file = Files.createDirectories(folder).resolve("saved-" + state.rank()).toAbsolutePath();
        try {
            RankFile.write(file, state);
            await(node.write(number, file.toString()));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void complete(final int number) throws IOException {
        await(node.complete(number));
    }

    @Override
    public void discard(final int number) {
        awaitLoosely("discard", number, node.discard(number));
    }

    @Override
    public void removeOlder(final int number) {
        awaitLoosely("remove older", number, node.removeOlder(number));
    }

    private static void awaitLoosely(final String step, final int number, final CompletionStage<Void> done) {
        try {
            await(done);
        } catch (final IOException e) {
            // Cause: the JVM of a job cannot ask its node to remove older checkpoints. Remedy: `tutti checkpoints --remove` when the job has ended.
            LOG.warn("checkpoints stay: step={}, number={}, reason={}", step, number, e.getMessage());
        }
    }
}
