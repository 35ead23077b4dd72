package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.RankOutcome;
import tutti.runtime.select.AgreedModules;
import tutti.runtime.select.Catalogue;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** A host of jobs whose ranks do what a test says. */
final class ScriptedHost implements JobHost {
    private static final long PATIENCE_SECONDS = 20;

    private final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private volatile Exception refusal;
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** From now on no job can be prepared. */
    void failToPrepare(final Exception why) {
        refusal = why;
    }

    /** From now on jobs are prepared not before what comes back is run. */
    Runnable hold() {
        final CountDownLatch held = new CountDownLatch(1);
        gate = held;
        return held::countDown;
    }

    /** Waits until it was asked to prepare a job. */
    void awaitAsked() throws InterruptedException {
        if (!asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no job was to be prepared within " + PATIENCE_SECONDS + " s");
        }
    }

    /** The next job that was prepared. */
    Job next() throws InterruptedException {
        final Job next = jobs.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "no job was prepared within " + PATIENCE_SECONDS + " s");
        return next;
    }

    /** Whether every job that was prepared was taken. */
    boolean isEmpty() {
        return jobs.isEmpty();
    }

    @Override
    public LocalJob prepare(final JobSpec spec, final Transport transport, final JobListener listener) throws IOException {
        asked.countDown();
        try {
            if (!gate.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the test holds jobs back for too long");
            }
        } catch (final InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        switch (refusal) {
            case null -> { }
            case IOException e -> throw e;
            case Exception e -> throw (RuntimeException) e;
        }
        final Job job = new Job(spec, listener);
        jobs.add(job);
        return job;
    }

    @Override
    public CacheStatistics schedules() {
        return CacheStatistics.NONE;
    }

    @Override
    public int running() {
        return 0;
    }

    @Override
    public LinkAcceptor acceptor() {
        return (link, hello) -> {
            throw new RefusedException("ranks of a test have no links");
        };
    }

    /** A part of a job. */
    static final class Job implements LocalJob {
        private final JobSpec spec;
        private final JobListener listener;
        private final CompletableFuture<Void> connected = new CompletableFuture<>();
        private volatile AgreedModules agreed;
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch started = new CountDownLatch(1);
        private final CompletableFuture<String> cancelled = new CompletableFuture<>();
        private final BlockingQueue<byte[]> input = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final Set<Integer> alive = new ConcurrentSkipListSet<>();

        Job(final JobSpec spec, final JobListener listener) {
            this.spec = spec;
            this.listener = listener;
            for (int r = 0; r < spec.size(); r++) {
                if (spec.nodeOfRank().get(r) == spec.self()) {
                    alive.add(r);
                }
            }
        }

        JobListener listener() {
            return listener;
        }

        @Override
        public Catalogue catalogue() {
            return new OneModule().catalogue();
        }

        @Override
        public void input(final byte[] bytes) {
            input.add(bytes);
        }

        /** The standard input that was brought. */
        BlockingQueue<byte[]> input() {
            return input;
        }

        /** For the test to complete. */
        CompletableFuture<Void> connected() {
            return connected;
        }

        /** Completes with the reason when it is cancelled. */
        CompletableFuture<String> cancelled() {
            return cancelled;
        }

        AgreedModules agreed() {
            return agreed;
        }

        boolean isAskedToConnect() {
            return asked.getCount() == 0;
        }

        boolean isStarted() {
            return started.getCount() == 0;
        }

        void awaitStart() throws InterruptedException {
            if (!started.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("job was not started within " + PATIENCE_SECONDS + " s: node=" + spec.self());
            }
        }

        /** A rank ends. */
        void end(final int rank, final RankOutcome end) {
            if (alive.remove(rank)) {
                listener.rankEnded(rank, end);
                if (alive.isEmpty()) {
                    ended.complete(null);
                }
            }
        }

        /** All ranks of this part return. */
        void endWell() {
            alive.forEach(r -> end(r, new RankOutcome(RankOutcome.Kind.RETURNED, 0, "")));
        }

        @Override
        public JobSpec spec() {
            return spec;
        }

        @Override
        public CompletionStage<Void> connect(final AgreedModules agreement) {
            agreed = agreement;
            asked.countDown();
            return connected.minimalCompletionStage();
        }

        @Override
        public void start() {
            started.countDown();
        }

        @Override
        public void cancel(final String reason) {
            if (!ended.isDone() && cancelled.complete(reason)) {
                Thread.ofVirtual().start(() -> alive.forEach(r -> end(r, new RankOutcome(RankOutcome.Kind.CANCELLED, 1, reason))));
            }
        }

        @Override
        public CompletionStage<Void> ended() {
            return ended.minimalCompletionStage();
        }
    }
}
