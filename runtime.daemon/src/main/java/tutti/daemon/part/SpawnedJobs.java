package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.Conversation;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/** The jobs that a part of a job has spawned; this node coordinates them. Their output is that of the part. Safe for any thread. */
final class SpawnedJobs {
    private final PartListener listener;
    private final PartOutput output;
    private final JobSpawner spawner;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, RunningJob> running = new ConcurrentHashMap<>();
    /** Why jobs are ended, also those that start later; null while they are not. */
    private volatile @Nullable String endReason;

    SpawnedJobs(final PartListener listener, final PartOutput output, final JobSpawner spawner) {
        this.listener = listener;
        this.output = output;
        this.spawner = spawner;
    }

    /** Ends all, and those that start later. */
    void end(final String reason) {
        endReason = reason;
        running.values().forEach(j -> j.end(ExitStatus.FAILED, reason));
    }

    /**
     * Starts the job that a rank requests. Blocks.
     *
     * @param parent    the job of the rank
     * @param owner     who runs it; null if that is not known
     * @param agreement its agreement
     * @param ended     completed when the new job has ended, with the reason if it failed; ends that job when it is cancelled
     * @throws IOException when it cannot start
     */
    void spawn(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final AgreedModules agreement,
        final CompletableFuture<String> ended) throws IOException {
        output.begin();
        listener.spawned();
        final RunningJob job;
        try {
            job = spawner.spawn(request, parent, owner, agreement, new Client());
        } catch (final IOException | RuntimeException e) {
            over();
            throw e;
        }
        final int number = numbers.incrementAndGet();
        running.put(number, job);
        final String reason = endReason;
        if (reason != null) {
            // it was requested before, and has started after the others were ended
            job.end(ExitStatus.FAILED, reason);
        }
        job.ended().thenAccept(end -> ended(number, job, end, ended));
        final CompletionStage<String> awaited = ended;
        awaited.whenComplete((text, e) -> {
            if (e instanceof CancellationException) {
                job.end(ExitStatus.FAILED, "the job that spawned it does not wait for it any more");
            }
        });
    }

    private void ended(final int number, final RunningJob job, final JobEnd end, final CompletableFuture<String> ended) {
        if (end.status() != ExitStatus.OK) {
            tell("spawned " + job.id() + ": " + end.text().stripTrailing());
        }
        running.remove(number);
        over();
        ended.complete(end.text());
    }

    private void over() {
        output.end();
        listener.spawnEnded();
    }

    private void tell(final String note) {
        try {
            output.print(0, true, ("tutti: " + note + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes the output of a job on. */
    private final class Client implements JobSpawner.Client {
        @Override
        public void note(final String text) {
            tell(text);
        }

        @Override
        public void accepted(final String job) {
            // the rank does not ask for it
        }

        @Override
        public void placed(final RankPlacement placement) {
            // nor for that
        }

        @Override
        public CompletionStage<Void> output(final InputStream pieces) {
            return Conversation.result(() -> {
                for (OutputPiece piece = OutputPiece.read(pieces); piece != null; piece = OutputPiece.read(pieces)) {
                    output.put(piece);
                }
                return null;
            });
        }

        @Override
        public CompletionStage<byte[]> input() {
            // standard input is that of the first job: this one reads its end
            return CompletableFuture.completedStage(new byte[0]);
        }
    }
}
