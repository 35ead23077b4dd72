package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.checkpoints.RankFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** The checkpoints of a job, in a JVM of its own: the node that started the JVM keeps them. States pass through files. */
final class JvmCheckpoints implements CheckpointStorage {
    private static final Logger LOG = LoggerFactory.getLogger(JvmCheckpoints.class);
    private static final long LIMIT_MINUTES = 15;

    /** Request to the node. */
    enum Step {
        /** The state of a rank; the result is its file. */
        RESTORED,
        /** Writes a state, from a file. */
        WRITE,
        /** Completes a checkpoint. */
        COMPLETE,
        /** Removes a checkpoint that is not complete. */
        DISCARD,
        /** Removes older checkpoints. */
        REMOVE_OLDER
    }

    private final Path folder;
    private final int restored;
    private final BiFunction<String, String, CompletableFuture<String>> node;

    /**
     * Creates the checkpoints of a job.
     *
     * @param folder   folder for files
     * @param restored number of the checkpoint from which the job continues; 0 if it begins anew
     * @param node     sends a step and its arguments to the node; returns the result
     */
    JvmCheckpoints(final Path folder, final int restored, final BiFunction<String, String, CompletableFuture<String>> node) {
        this.folder = folder;
        this.restored = restored;
        this.node = node;
    }

    private String ask(final Step step, final String arguments) throws IOException {
        try {
            return node.apply(step.name(), arguments).get(LIMIT_MINUTES, TimeUnit.MINUTES);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (final ExecutionException | TimeoutException e) {
            throw new IOException(Protocol.oneLine(e), e);
        }
    }

    @Override
    public int restored() {
        return restored;
    }

    @Override
    public @Nullable StoredRank restored(final int rank) throws IOException {
        return restored == 0 ? null : RankFile.open(Path.of(ask(Step.RESTORED, Integer.toString(rank))));
    }

    @Override
    public void write(final int number, final SavedRank state) throws IOException {
        final Path file = Files.createDirectories(folder).resolve("saved-" + state.rank()).toAbsolutePath();
        try {
            RankFile.write(file, state);
            ask(Step.WRITE, number + " " + file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void complete(final int number) throws IOException {
        ask(Step.COMPLETE, Integer.toString(number));
    }

    @Override
    public void discard(final int number) {
        askLoosely(Step.DISCARD, number);
    }

    @Override
    public void removeOlder(final int number) {
        askLoosely(Step.REMOVE_OLDER, number);
    }

    private void askLoosely(final Step step, final int number) {
        try {
            ask(step, Integer.toString(number));
        } catch (final IOException e) {
            LOG.warn("checkpoints stay: step={}, number={}, reason={}", step, number, e.getMessage());
        }
    }
}
