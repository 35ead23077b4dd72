package tutti.daemon.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/** The jobs that a part of a job has spawned; this node coordinates them. Their output is that of the part. Safe for any thread. */
final class SpawnedJobs {
    private final JobPartListener listener;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, JobCoordinator> running = new ConcurrentHashMap<>();
    /** Why jobs are ended, also those that start later; null while they are not. */
    private volatile @Nullable String endReason;

    SpawnedJobs(final JobPartListener listener) {
        this.listener = listener;
    }

    /** Returns whether there are any. */
    boolean isEmpty() {
        return running.isEmpty();
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
     * @param ended     completed when the new job has ended; ends that job when it is cancelled
     */
    void spawn(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final AgreedModules agreement,
        final PartSupport support, final CompletableFuture<String> ended) throws IOException {
        final Path files = support.folders().get();
        try {
            final SpawnPlanner planner = new SpawnPlanner(request, parent, owner, files, support.api().get());
            final JobPlan plan = planner.plan(agreement, support.free().get());
            planner.notes().forEach(this::tell);
            start(Objects.requireNonNull(support.launcher(), "a node starts jobs"), plan, ended, () -> TempFolders.delete(files));
        } catch (final IOException | RuntimeException e) {
            TempFolders.delete(files);
            throw e;
        }
    }

    /**
     * Starts a job.
     *
     * @param ended   completed when it has ended, with the reason if it failed; ends the job when it is cancelled
     * @param cleanup runs when the job has ended
     * @throws IOException when it cannot start
     */
    private void start(final PartSupport.Launcher launcher, final JobPlan plan, final CompletableFuture<String> ended, final Runnable cleanup)
        throws IOException {
        final Client client = new Client(numbers.incrementAndGet(), ended, cleanup);
        listener.report(new Message.Progress(Message.Phase.SPAWNED, 0, ""));
        launch(launcher, plan, client);
        final CompletionStage<String> awaited = ended;
        awaited.whenComplete((text, e) -> {
            if (e instanceof CancellationException) {
                client.job.end(ExitStatus.FAILED, "the job that spawned it does not wait for it any more");
            }
        });
    }

    private void launch(final PartSupport.Launcher launcher, final JobPlan plan, final Client client) throws IOException {
        boolean launched = false;
        try {
            launcher.launch(plan, client, job -> started(client, job));
            launched = true;
        } finally {
            if (!launched) {
                listener.report(new Message.Progress(Message.Phase.SPAWN_ENDED, ExitStatus.FAILED, ""));
            }
        }
    }

    private void started(final Client client, final JobCoordinator job) {
        client.job = job;
        running.put(client.number, job);
        final String reason = endReason;
        if (reason != null) {
            // it was requested before, and is started after the others were ended
            job.end(ExitStatus.FAILED, reason);
        }
    }

    private void tell(final String note) {
        print(0, true, ("tutti: " + note + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void print(final int rank, final boolean error, final byte[] bytes) {
        try {
            listener.printed(rank, error, bytes);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes the output of a job on. */
    private final class Client implements JobClient {
        private final int number;
        private final CompletableFuture<String> ended;
        private final Runnable cleanup;
        @SuppressWarnings("NullAway.Init") // spawn sets it before the job starts
        private volatile JobCoordinator job;

        Client(final int number, final CompletableFuture<String> ended, final Runnable cleanup) {
            this.number = number;
            this.ended = ended;
            this.cleanup = cleanup;
        }

        @Override
        public void post(final Message message) {
            if (message instanceof Message.Done done) {
                if (done.status() != 0) {
                    tell("spawned " + job.info().id() + ": " + done.text().stripTrailing());
                }
                running.remove(number);
                cleanup.run();
                listener.report(new Message.Progress(Message.Phase.SPAWN_ENDED, done.status(), ""));
                ended.complete(done.text());
            }
        }

        @Override
        public void postOutput(final int rank, final boolean error, final byte[] bytes) {
            print(rank, error, bytes);
            job.outputCredit(bytes.length);
        }

        @Override
        public void postProgramCredit(final int bytes) {
            // the program is here
        }

        @Override
        public void postInputCredit() {
            // standard input is that of the first job: this one reads its end
            job.input(new byte[0]);
        }

        @Override
        public void close() {
            // there is no connection
        }
    }
}
