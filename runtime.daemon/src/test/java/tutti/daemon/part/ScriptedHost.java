package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.control.OneModule;
import tutti.runtime.inspect.RankState;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** Job host whose ranks are scripted by a test. */
public final class ScriptedHost implements JobHost {
    private static final long LIMIT_SECONDS = 60;

    private final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private volatile Exception refusal;
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Lets the preparation of all further jobs fail. */
    public void failToPrepare(final Exception why) {
        refusal = why;
    }

    /** Delays the preparation of all further jobs until the returned action is run. */
    public Runnable hold() {
        final CountDownLatch held = new CountDownLatch(1);
        gate = held;
        return held::countDown;
    }

    /** Waits until the preparation of a job is requested. */
    public void awaitAsked() throws InterruptedException {
        if (!asked.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no job was requested within " + LIMIT_SECONDS + " s");
        }
    }

    /** Returns the next prepared job. */
    public Job next() throws InterruptedException {
        final Job next = jobs.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "no job was prepared within " + LIMIT_SECONDS + " s");
        return next;
    }

    /** Returns whether all prepared jobs were read. */
    public boolean isEmpty() {
        return jobs.isEmpty();
    }

    @Override
    public LocalJob prepare(final JobSpec spec, final JobListener listener) throws IOException {
        asked.countDown();
        try {
            if (!gate.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the test delays jobs for too long");
            }
        } catch (final InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        switch (refusal) {
            case null -> {}
            case IOException e -> throw e;
            case Exception e -> throw (RuntimeException) e;
        }
        final Job job = new Job(spec, listener);
        jobs.add(job);
        return job;
    }

    @Override
    public MessageStatistics messages() {
        return MessageStatistics.NONE;
    }

    @Override
    public CacheStatistics schedules() {
        return CacheStatistics.NONE;
    }

    @Override
    public void warmUp(final String program, final AgreedModules agreement, final Transport transport) {
        throw new AssertionError();
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

    /** Part of a job. */
    public static final class Job implements LocalJob {
        private final JobSpec spec;
        private final JobListener listener;
        private final CompletableFuture<Void> connected = new CompletableFuture<>();
        private volatile AgreedModules agreed;
        private volatile JobServices services;
        private volatile Map<String, Transport> transports;
        private volatile List<NodeEndpoints> nodes;
        private volatile long lastPoint;
        private volatile CountDownLatch inspection = new CountDownLatch(0);
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch started = new CountDownLatch(1);
        private final CompletableFuture<Replacement> place = new CompletableFuture<>();
        private final CompletableFuture<String> cancelled = new CompletableFuture<>();
        private final CompletableFuture<Long> pointWanted = new CompletableFuture<>();
        private final BlockingQueue<byte[]> input = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final Set<Integer> alive = new ConcurrentSkipListSet<>();
        private final Map<Integer, RankOutcome> whenCancelled = new ConcurrentHashMap<>();
        private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> changed = new CompletableFuture<>();
        private final BlockingQueue<String> losses = new LinkedBlockingQueue<>();
        private volatile Catalogue offered = new OneModule().catalogue();
        private volatile String refusal;
        private volatile CompletableFuture<Void> maySayEnd = CompletableFuture.completedFuture(null);

        Job(final JobSpec spec, final JobListener listener) {
            this.spec = spec;
            this.listener = listener;
            for (int r = 0; r < spec.size(); r++) {
                if (spec.nodeOfRank().get(r) == spec.self()) {
                    alive.add(r);
                }
            }
        }

        @Override
        public void serve(final JobServices given) {
            services = given;
        }

        /** Returns what the daemon does for the ranks. */
        public JobServices services() {
            return services;
        }

        public JobListener listener() {
            return listener;
        }

        /** Completes with the point at which a checkpoint is wanted first. */
        public CompletableFuture<Long> pointWanted() {
            return pointWanted;
        }

        @Override
        public Catalogue catalogue() {
            return new OneModule().catalogue();
        }

        @Override
        public long lastPoint() {
            return lastPoint;
        }

        /** Sets the number of the last point that a rank has reached. */
        public void reach(final long point) {
            lastPoint = point;
        }

        @Override
        public void checkpointAt(final long point) {
            pointWanted.complete(point);
        }

        @Override
        public List<RankState> inspect(final long waitedMillis) {
            try {
                assertTrue(inspection.await(LIMIT_SECONDS, TimeUnit.SECONDS), "the test delays inspections for too long");
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of();
        }

        /** Delays the states of ranks until the latch is open. */
        public void holdInspection(final CountDownLatch until) {
            inspection = until;
        }

        @Override
        public void input(final byte[] bytes) {
            input.add(bytes);
        }

        /** Returns the received standard input. */
        public BlockingQueue<byte[]> input() {
            return input;
        }

        /** Returns the future of the connection, which the test completes. */
        public CompletableFuture<Void> connected() {
            return connected;
        }

        /** Returns a future that completes with the reason when the part is cancelled. */
        public CompletableFuture<String> cancelled() {
            return cancelled;
        }

        public AgreedModules agreed() {
            return agreed;
        }

        /** Returns the transports of the links to the other nodes, by scheme. */
        public Map<String, Transport> transports() {
            return transports;
        }

        /** Returns the nodes with the endpoints to connect to. */
        public List<NodeEndpoints> nodes() {
            return nodes;
        }

        public boolean isAskedToConnect() {
            return asked.getCount() == 0;
        }

        public boolean isStarted() {
            return started.getCount() == 0;
        }

        public void awaitStart() throws InterruptedException {
            if (!started.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("job was not started within " + LIMIT_SECONDS + " s: node=" + spec.self());
            }
        }

        /** Sets how a rank ends when the part is cancelled. */
        public void whenCancelled(final int rank, final RankOutcome end) {
            whenCancelled.put(rank, end);
        }

        /** Lets a cancelled part report the ends of its ranks only when the returned future is completed. */
        public CompletableFuture<Void> holdEnds() {
            final CompletableFuture<Void> held = new CompletableFuture<>();
            maySayEnd = held;
            return held;
        }

        /** Ends a rank. */
        public void end(final int rank, final RankOutcome end) {
            if (alive.remove(rank)) {
                listener.rankEnded(rank, end);
                if (alive.isEmpty()) {
                    ended.complete(null);
                }
            }
        }

        /** Lets all ranks of this part return. */
        public void endWell() {
            alive.forEach(r -> end(r, new RankOutcome(RankOutcome.Kind.RETURNED, 0, "")));
        }

        @Override
        public JobSpec spec() {
            return spec;
        }

        @Override
        public NodeLocality locality() {
            return NodeLocality.UNKNOWN;
        }

        @Override
        public CompletionStage<Void> connect(final AgreedModules agreement, final Map<String, Transport> over, final List<NodeEndpoints> addresses) {
            agreed = agreement;
            transports = over;
            nodes = addresses;
            asked.countDown();
            return connected.minimalCompletionStage();
        }

        @Override
        public CompletionStage<Void> start(final Replacement taken, final List<NodeEndpoints> linked) {
            place.complete(taken);
            return CompletableFuture.completedStage(null);
        }

        /** Completes with the place that the spare rank of the part takes. */
        public CompletableFuture<Replacement> place() {
            return place;
        }

        @Override
        public void start() {
            started.countDown();
        }

        @Override
        public Catalogue lease(final int change) {
            steps.add("lease " + change);
            return offered;
        }

        @Override
        public void agree(final int change, final AgreedModules agreement) throws IOException {
            steps.add("agree " + change + " " + agreement.modules());
            if (refusal != null) {
                throw new IOException(refusal);
            }
        }

        @Override
        public CompletionStage<Void> change(final int change) {
            steps.add("change " + change);
            return changed.minimalCompletionStage();
        }

        @Override
        public void abandon(final int change) {
            steps.add("abandon " + change);
        }

        /** Sets the modules that the node offers from now on. */
        public void offer(final Catalogue catalogue) {
            offered = catalogue;
        }

        /** Refuses agreements from now on. */
        public void refuse(final String reason) {
            refusal = reason;
        }

        /** Returns the future of the changes, which the test completes. */
        public CompletableFuture<Void> changed() {
            return changed;
        }

        /** Returns the next step of a change that the part takes. */
        public String nextStep() throws InterruptedException {
            return String.valueOf(steps.poll(LIMIT_SECONDS, TimeUnit.SECONDS));
        }

        @Override
        public void cancel(final String reason) {
            if (!ended.isDone() && cancelled.complete(reason)) {
                final RankOutcome end = new RankOutcome(RankOutcome.Kind.CANCELLED, 1, reason);
                maySayEnd.thenRunAsync(() -> alive.forEach(r -> end(r, whenCancelled.getOrDefault(r, end))));
            }
        }

        @Override
        public void lose(final int[] failed, final String reason) {
            losses.add(Arrays.toString(failed) + ": " + reason);
        }

        /** Returns the next loss that the part is told of: the ranks and the reason. */
        public String nextLoss() throws InterruptedException {
            return String.valueOf(losses.poll(LIMIT_SECONDS, TimeUnit.SECONDS));
        }

        /** Returns whether the part was told of no other loss. */
        public boolean hasNoLoss() {
            return losses.isEmpty();
        }

        @Override
        public CompletionStage<Void> ended() {
            return ended.minimalCompletionStage();
        }
    }
}
