package tutti.runtime.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.process.JobThreads;
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
 * <p><b>Threads.</b> Runs once. {@link #stop} may be called by any thread at any time and does not wait.
 */
final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    /** The node of each rank, for each job: ranks wait in other ways when they outnumber the cores. */
    private static final List<List<Integer>> JOBS = List.of(List.of(0, 0), List.of(0, 1), List.of(0, 0, 1, 1));

    private final Transport transport;
    private final ModuleProvider modules;
    private final Collection<RankClasses> shared;
    private final List<HostedJob> parts = new ArrayList<>();
    private volatile boolean stopped;

    WarmUp(final Transport transport, final ModuleProvider modules, final Collection<RankClasses> shared) {
        this.transport = transport;
        this.modules = modules;
        this.shared = shared;
    }

    /**
     * Runs the jobs one after the other, and waits until they have ended. Does nothing after {@link #stop}.
     *
     * @param program a class whose argument is the number of the job, from 0
     */
    void run(final String program, final AgreedModules agreement) {
        for (int job = 0; job < JOBS.size(); job++) {
            try {
                if (!stopped) {
                    run(program, agreement.onAnyNodes(), job);
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
        parts.forEach(p -> p.cancel("the warm-up is over"));
    }

    private synchronized boolean add(final HostedJob part) {
        parts.add(part);
        return !stopped;
    }

    private void run(final String program, final AgreedModules agreement, final int job) throws IOException {
        final List<Integer> nodeOfRank = JOBS.get(job);
        final byte[] key = new byte[16];
        new SecureRandom().nextBytes(key);
        final List<String> names = nodeOfRank.stream().distinct().map(n -> "warm-up " + n).toList();
        final List<HostedJob> nodes = new ArrayList<>();
        final List<Listener> listeners = new ArrayList<>();
        try {
            final List<NodeAddress> addresses = new ArrayList<>();
            for (int n = 0; n < names.size(); n++) {
                final HostedJob node = part(new JobSpec("warm-up", key, names, nodeOfRank, n, program, List.of(), List.of()));
                nodes.add(node);
                if (!add(node)) {
                    return;
                }
                final Listener listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), node::accept);
                listeners.add(listener);
                addresses.add(new NodeAddress(names.get(n), listener.address().getHostString(), listener.address().getPort()));
            }
            all(nodes.stream().map(n -> n.connect(agreement, transport, addresses).toCompletableFuture()).toList());
            nodes.forEach(HostedJob::start);
            awaitEnd(nodes);
        } finally {
            nodes.forEach(n -> n.cancel("the warm-up is over"));
            awaitEnd(nodes);
            listeners.forEach(Listener::close);
        }
    }

    private HostedJob part(final JobSpec spec) throws IOException {
        final Lease lease = modules.lease();
        try {
            return new HostedJob(spec, new WarmUpListener(), lease, shared, new JobThreads(JobThreads.DEFAULT));
        } catch (final IOException | RuntimeException e) {
            lease.close();
            throw e;
        }
    }

    private static void awaitEnd(final List<HostedJob> nodes) {
        all(nodes.stream().map(n -> n.ended().toCompletableFuture()).toList());
    }

    private static void all(final List<CompletableFuture<Void>> stages) {
        CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).join();
    }

    /** Drops the output of the ranks. */
    private final class WarmUpListener implements JobListener {
        @Override
        public void output(final int rank, final boolean error, final byte[] bytes) {
            // nobody asked for it
        }

        @Override
        public void inputWanted() {
            // the program reads none
        }

        @Override
        public void rankEnded(final int rank, final RankOutcome end) {
            if (!end.isGood()) {
                if (!stopped) {
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
