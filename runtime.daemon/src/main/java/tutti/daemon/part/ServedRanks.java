package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import tutti.daemon.channel.Conversation;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.RankFile;
import tutti.runtime.job.SpawnRequest;

/** Serves the ranks of a part in a job JVM. */
final class ServedRanks implements RankServices {
    private final JvmPart part;
    private final Path folder;
    /** Completed when a spawned job is to be ended, by the number of its request; either may come first. */
    private final Map<Long, CompletableFuture<Void>> cancels = new ConcurrentHashMap<>();

    /** Step of a checkpoint. Blocks. */
    private interface CheckpointStep {
        void run(JobCheckpoints checkpoints) throws IOException;
    }

    /**
     * Creates the server of a part's ranks.
     *
     * @param folder folder for the states from which they continue
     */
    ServedRanks(final JvmPart part, final Path folder) {
        this.part = part;
        this.folder = folder;
    }

    private CompletionStage<Void> step(final CheckpointStep step) {
        return Conversation.result(() -> {
            step.run(part.checkpoints());
            return null;
        });
    }

    @Override
    public CompletionStage<Void> publish(final String name, final String port) {
        return part.services().publish(name, port);
    }

    @Override
    public CompletionStage<String> lookup(final String name) {
        return part.services().lookup(name);
    }

    @Override
    public CompletionStage<Boolean> unpublish(final String name) {
        return part.services().unpublish(name);
    }

    @Override
    public CompletionStage<String> spawn(final long number, final SpawnRequest request) {
        final CompletableFuture<String> ended = part.services().spawn(request).toCompletableFuture();
        final CompletionStage<Void> cancel = cancels.computeIfAbsent(number, n -> new CompletableFuture<>());
        cancel.thenRun(() -> ended.cancel(false));
        return ended.whenComplete((text, e) -> cancels.remove(number));
    }

    @Override
    public void cancelSpawn(final long number) {
        cancels.computeIfAbsent(number, n -> new CompletableFuture<>()).complete(null);
    }

    @Override
    public CompletionStage<String> restored(final int rank) {
        return Conversation.result(() -> {
            final Path file = folder.resolve("restored-" + rank);
            Files.createDirectories(folder);
            RankFile.write(file, rank, Objects.requireNonNull(part.checkpoints().restored(rank), "the job continues from a checkpoint"));
            return file.toAbsolutePath().toString();
        });
    }

    @Override
    public CompletionStage<Void> write(final int checkpoint, final String file) {
        return step(kept -> {
            try (RankFile state = RankFile.open(Path.of(file))) {
                kept.write(checkpoint, state.saved());
            }
        });
    }

    @Override
    public CompletionStage<Void> complete(final int checkpoint) {
        return step(kept -> kept.complete(checkpoint));
    }

    @Override
    public CompletionStage<Void> discard(final int checkpoint) {
        return step(kept -> kept.discard(checkpoint));
    }

    @Override
    public CompletionStage<Void> removeOlder(final int checkpoint) {
        return step(kept -> kept.removeOlder(checkpoint));
    }
}
