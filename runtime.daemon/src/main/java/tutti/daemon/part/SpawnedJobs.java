package tutti.daemon.part;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/** The jobs that a part of a job has spawned; this node coordinates them. Their output is that of the part. Safe for any thread. */
final class SpawnedJobs {
    private static final String CANCELLED = "the job that spawned it does not wait for it any more";

    private final PartListener listener;
    private final PartOutput output;
    private final JobSpawner spawner;
    /** By the names of the ports to which they connect. */
    private final Map<String, RunningJob> running = new ConcurrentHashMap<>();
    /** Requests for whose jobs the ranks do not wait any more, by these names. */
    private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
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

    /** Ends the job of a request, also if it starts later. */
    void cancel(final String parent) {
        cancelled.add(parent);
        final RunningJob job = running.get(parent);
        if (job != null) {
            job.end(ExitStatus.FAILED, CANCELLED);
        }
    }

    /**
     * Starts the job that a rank requests. Blocks.
     *
     * @param parent    the job of the rank
     * @param owner     who runs it; null if that is not known
     * @param agreement its agreement
     * @return completed when the new job has ended, with the reason if it failed
     * @throws IOException when it cannot start
     */
    CompletionStage<String> spawn(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final AgreedModules agreement)
        throws IOException {
        output.begin();
        listener.spawned();
        final RunningJob job;
        try {
            job = spawner.spawn(request, parent, owner, agreement, new Client());
        } catch (final IOException | RuntimeException e) {
            output.spawnEnded();
            throw e;
        }
        running.put(request.parent(), job);
        final String reason = cancelled.contains(request.parent()) ? CANCELLED : endReason;
        if (reason != null) {
            // it was requested before, and has started after the others were ended
            job.end(ExitStatus.FAILED, reason);
        }
        return job.ended().thenApply(end -> {
            if (end.status() != ExitStatus.OK) {
                tell("spawned " + job.id() + ": " + end.text().stripTrailing());
            }
            running.remove(request.parent());
            output.spawnEnded();
            return end.text();
        });
    }

    private void tell(final String note) {
        try {
            output.print(0, true, ("tutti: " + note + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes the output of a job on; standard input is that of the first job. */
    private final class Client extends OutputClient implements JobSpawner.Client {
        @Override
        public void note(final String text) {
            tell(text);
        }

        @Override
        protected void receive(final OutputPiece piece) throws InterruptedException {
            output.put(piece);
        }
    }
}
