package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import tutti.daemon.channel.Conversation;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.RankFile;
import tutti.runtime.checkpoint.store.StoredRank;

/**
 * Serves the checkpoints of a part to its job JVM.
 *
 * @param kept   the checkpoints
 * @param folder folder for the states from which ranks continue
 */
record ServedCheckpoints(JobCheckpoints kept, Path folder) implements CheckpointFiles {

    /** Step of a checkpoint. Blocks. */
    private interface Step {
        void run() throws IOException;
    }

    private static CompletionStage<Void> done(final Step step) {
        return Conversation.result(() -> {
            step.run();
            return null;
        });
    }

    @Override
    public CompletionStage<String> restored(final int rank) {
        return Conversation.result(() -> file(rank, Objects.requireNonNull(kept.restored(rank), "the job continues from a checkpoint")));
    }

    private String file(final int rank, final StoredRank state) throws IOException {
        final Path file = Files.createDirectories(folder).resolve("restored-" + rank).toAbsolutePath();
        RankFile.write(file, rank, state);
        return file.toString();
    }

    @Override
    public CompletionStage<List<Integer>> held(final int checkpoint, final long point) {
        return Conversation.result(() -> kept.held(checkpoint, point));
    }

    @Override
    public CompletionStage<String> stored(final int checkpoint, final long point, final int rank, final int ranks) {
        return Conversation.result(() -> file(rank, kept.stored(checkpoint, point, rank, ranks)));
    }

    @Override
    public CompletionStage<Void> write(final int checkpoint, final String file) {
        return done(() -> {
            try (RankFile state = RankFile.open(Path.of(file))) {
                kept.write(checkpoint, state.saved());
            }
        });
    }

    @Override
    public CompletionStage<Void> complete(final int checkpoint) {
        return done(() -> kept.complete(checkpoint));
    }

    @Override
    public CompletionStage<Void> discard(final int checkpoint) {
        return done(() -> kept.discard(checkpoint));
    }

    @Override
    public CompletionStage<Void> removeOlder(final int checkpoint) {
        return done(() -> kept.removeOlder(checkpoint));
    }
}
