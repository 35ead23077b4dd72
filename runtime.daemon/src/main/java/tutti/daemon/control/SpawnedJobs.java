package tutti.daemon.control;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;

/** The jobs that a part of a job has spawned; this node coordinates them. Their output is that of the part. Safe for any thread. */
final class SpawnedJobs {
    private final JobPartListener listener;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, JobCoordinator> running = new ConcurrentHashMap<>();
    /** Why jobs are ended, also those that start later; null while they are not. */
    private volatile String endReason;

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
     * Starts a job.
     *
     * @param ended   completed when it has ended, with the reason if it failed; ends the job when it is cancelled
     * @param cleanup runs when the job has ended
     */
    void start(final PartSupport.Launcher launcher, final JobPlan plan, final CompletableFuture<String> ended, final Runnable cleanup) {
        final Client client = new Client(numbers.incrementAndGet(), ended, cleanup);
        listener.report(new Message.Progress(Message.Phase.SPAWNED, 0, ""));
        launcher.launch(plan, client, job -> {
            client.job = job;
            running.put(client.number, job);
            final String reason = endReason;
            if (reason != null) {
                // it was requested before, and is started after the others were ended
                job.end(ExitStatus.FAILED, reason);
            }
        });
        final CompletionStage<String> awaited = ended;
        awaited.whenComplete((text, e) -> {
            if (e instanceof CancellationException) {
                client.job.end(ExitStatus.FAILED, "the job that spawned it does not wait for it any more");
            }
        });
    }

    /** Passes the output of a job on. */
    private final class Client implements JobClient {
        private final int number;
        private final CompletableFuture<String> ended;
        private final Runnable cleanup;
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
                    final String text = "tutti: spawned " + job.info().id() + ": " + done.text().stripTrailing() + "\n";
                    print(0, true, text.getBytes(StandardCharsets.UTF_8));
                }
                running.remove(number);
                cleanup.run();
                listener.report(new Message.Progress(Message.Phase.SPAWN_ENDED, done.status(), ""));
                ended.complete(done.text());
            }
        }

        private void print(final int rank, final boolean error, final byte[] bytes) {
            try {
                listener.printed(rank, error, bytes);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void postOutput(final int rank, final boolean error, final byte[] bytes) {
            print(rank, error, bytes);
            job.outputCredit(bytes.length);
        }

        @Override
        public void postTrace(final int rank, final byte[] bytes) {
            // the trace of a command is that of its own job
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
