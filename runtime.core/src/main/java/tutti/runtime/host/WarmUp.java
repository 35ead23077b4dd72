package tutti.runtime.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.process.owner.RankClasses;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleProvider;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Jobs that this node runs for itself while it has nothing else to do: so the JVM has compiled the paths of messages and collectives, and the
 * planning of the modules, before the first job needs them.
 *
 * <p>The nodes of these jobs are all this one. In some jobs the ranks share memory, in others the transport links them.
 *
 * <p>Rank 0 reads its input before each part of its work, a fraction of a second: a byte lets it go on, the end of the input ends it. So the jobs
 * wait while other processes use the machine, and end when all together have used their processor time, that of the compiler included. The other
 * ranks wait for rank 0.
 *
 * <p><b>Threads.</b> Runs once. {@link #stop} may be called by any thread at any time and does not wait.
 */
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    /** The node of each rank, for each job: ranks wait in other ways when they outnumber the cores. */
    private static final List<List<Integer>> JOBS = List.of(List.of(0, 0), List.of(0, 1), List.of(0, 0, 1, 1));

    /** The processor time of all jobs together. */
    static final Duration LIMIT = Duration.ofSeconds(9);
    /** The argument of the program that tells it to read its input. */
    private static final String ASK = "ask";
    private static final long PAUSE_MILLIS = 200;

    private final Transport transport;
    private final ModuleProvider modules;
    private final Collection<RankClasses> shared;
    private final MachineLoad load;
    private final List<HostedJob> parts = new ArrayList<>();
    private volatile boolean stopped;

    WarmUp(final Transport transport, final ModuleProvider modules, final Collection<RankClasses> shared, final MachineLoad load) {
        this.transport = transport;
        this.modules = modules;
        this.shared = shared;
        this.load = load;
    }

    /**
     * Runs the jobs one after the other, and waits until they have ended. Does nothing after {@link #stop}.
     *
     * @param program a class that reads its input before each part of its work
     */
    void run(final String program, final AgreedModules agreement) {
        final long begin = load.cpuNanos();
        for (int job = 0; job < JOBS.size(); job++) {
            try {
                if (!stopped) {
                    // what one job leaves of its share the next ones have
                    run(program, agreement.onAnyNodes(), job, begin + LIMIT.toNanos() * (job + 1) / JOBS.size());
                }
            } catch (final IOException | RuntimeException e) {
                LOG.debug("warm-up ended early: job={}", job, e);
            }
        }
    }

    /** Ends the ranks, because a job needs the cores. */
    void stop() {
        stopped = true;
        cancel();
    }

    private synchronized void cancel() {
        notifyAll();
        parts.forEach(p -> p.cancel("the warm-up is over"));
    }

    /** Lets rank 0 go on, whenever it asks, until the jobs have ended or used so much processor time. */
    private void grant(final HostedJob first, final CompletableFuture<Void> ended, final Semaphore asked, final long untilCpuNanos) {
        final CompletionStage<Void> end = ended;
        end.whenComplete((done, e) -> asked.release());
        asked.acquireUninterruptibly();
        while (!ended.isDone()) {
            first.input(mayGoOn(untilCpuNanos) ? new byte[1] : new byte[0]);
            asked.acquireUninterruptibly();
        }
    }

    /** Waits while other processes use the machine; returns whether processor time is left. */
    private synchronized boolean mayGoOn(final long untilCpuNanos) {
        while (!stopped && load.isBusy()) {
            try {
                wait(PAUSE_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return !stopped && load.cpuNanos() < untilCpuNanos;
    }

    private synchronized boolean add(final HostedJob part) {
        parts.add(part);
        return !stopped;
    }

    private void run(final String program, final AgreedModules agreement, final int job, final long untilCpuNanos) throws IOException {
        final List<Integer> nodeOfRank = JOBS.get(job);
        final byte[] key = new byte[16];
        new SecureRandom().nextBytes(key);
        final List<String> names = nodeOfRank.stream().distinct().map(n -> "warm-up " + n).toList();
        final List<HostedJob> nodes = new ArrayList<>();
        final List<Listener> listeners = new ArrayList<>();
        final Semaphore asked = new Semaphore(0);
        try {
            final List<NodeEndpoints> addresses = new ArrayList<>();
            for (int n = 0; n < names.size(); n++) {
                final HostedJob node = part(new JobSpec("warm-up", key, names, nodeOfRank, n, program, List.of(ASK), List.of()), asked);
                nodes.add(node);
                if (!add(node)) {
                    return;
                }
                final Listener listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), node::accept);
                listeners.add(listener);
                addresses.add(new NodeEndpoints(names.get(n),
                    List.of(Endpoint.tcp(listener.address().getHostString(), listener.address().getPort()))));
            }
            all(nodes.stream().map(n -> n.connect(agreement, Map.of(Endpoint.TCP, transport), addresses).toCompletableFuture()).toList()).join();
            nodes.forEach(HostedJob::start);
            grant(nodes.getFirst(), ended(nodes), asked, untilCpuNanos);
        } finally {
            nodes.forEach(n -> n.cancel("the warm-up is over"));
            ended(nodes).join();
            listeners.forEach(Listener::close);
        }
    }

    private HostedJob part(final JobSpec spec, final Semaphore asked) throws IOException {
        final Lease lease = modules.lease();
        try {
            return new HostedJob(spec, new WarmUpListener(asked), lease, shared);
        } catch (final IOException | RuntimeException e) {
            lease.close();
            throw e;
        }
    }

    private static CompletableFuture<Void> ended(final List<HostedJob> nodes) {
        return all(nodes.stream().map(n -> n.ended().toCompletableFuture()).toList());
    }

    private static CompletableFuture<Void> all(final List<CompletableFuture<Void>> stages) {
        return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new));
    }

    /** Drops the output of the ranks. */
    private final class WarmUpListener implements JobListener {
        private final Semaphore asked;

        WarmUpListener(final Semaphore asked) {
            this.asked = asked;
        }

        @Override
        public void output(final int rank, final boolean error, final byte[] bytes) {
            // nobody asked for it
        }

        @Override
        public void inputWanted() {
            asked.release();
        }

        @Override
        public void rankEnded(final int rank, final RankOutcome end) {
            if (!end.isGood()) {
                if (!stopped) {
                    // Cause: the job that a node runs at its start failed. Remedy: the reason is in the message; jobs run nevertheless.
                    LOG.warn("warm-up failed, the first calls of jobs will be slow: rank={}, reason={}", rank, end.text());
                }
                cancel();
            }
        }

        @Override
        public void nodeLost(final int node, final String reason) {
            cancel();
        }
    }
}
