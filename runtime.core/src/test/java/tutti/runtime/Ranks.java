package tutti.runtime;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.osgi.framework.Version;
import tutti.coll.CollModule;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.comm.Rank;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.lifecycle.RankHelperThreads;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.PlanProver;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.select.JobModules;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Runs ranks in one JVM, on one node or on several that are connected by a transport. Runs a body on a thread per rank, with a time limit; when
 * it passes, the failure contains all stacks.
 */
public final class Ranks {
    /** The body of a rank. */
    public interface Body {
        /** Runs between Init and Finalize of the rank. */
        void run(Rank rank) throws Exception;
    }

    private static final byte[] KEY = "0123456789abcdef".getBytes();
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private Ranks() {}

    /** Runs ranks on one node. */
    public static void run(final int ranks, final List<CollModule> modules, final Body body) throws Exception {
        run(ranks, 1, modules, body);
    }

    /** Runs ranks on several nodes, placed in turn, over links with small buffers. */
    public static void run(final int ranks, final int nodes, final List<CollModule> modules, final Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            run(ranks, nodes, transport, modules, body);
        }
    }

    /** Runs ranks on several nodes over a given transport. */
    public static void run(final int ranks, final int nodes, final Transport transport, final List<CollModule> modules, final Body body)
        throws Exception {
        run(ranks, nodes, transport, job(ranks, Map.of(), modules), body);
    }

    /** Returns the modules of a job, named after their classes and all of version 1.0.0. */
    public static JobModules job(final int ranks, final Map<String, String> parameters, final List<CollModule> modules) {
        final List<OfferedModule> offered = new ArrayList<>();
        for (final CollModule m : modules) {
            offered.add(new OfferedModule(new ModuleId(m.getClass().getSimpleName(), new Version(1, 0, 0), "test"), m));
        }
        return job(ranks, parameters, RuleTable.NONE, offered, List.of());
    }

    /** Returns the modules of a job in which the user set all parameters. */
    public static JobModules job(final int ranks, final Map<String, String> parameters, final RuleTable rules, final List<OfferedModule> offered,
        final List<ExcludedModule> leftOut) {
        return new JobModules("test", ranks, new AgreedModules(offered.stream().map(OfferedModule::id).toList(), leftOut, parameters,
            parameters.keySet(), rules), offered);
    }

    /** Runs ranks on several nodes over a given transport, with agreed modules; the ranks are placed in turn. */
    public static void run(final int ranks, final int nodes, final Transport transport, final JobModules modules, final Body body)
        throws Exception {
        run(IntStream.range(0, ranks).map(r -> r % nodes).boxed().toList(), transport, modules, body);
    }

    /** Runs ranks over a given transport, with agreed modules and the node of each rank, from 0. */
    public static void run(final List<Integer> nodeOf, final Transport transport, final JobModules modules, final Body body) throws Exception {
        run(transport, List.of(new Job(nodeOf, modules, body)));
    }

    /** A job: the node of each rank from 0, its modules, what its ranks do, and where their checkpoints are kept. */
    public record Job(List<Integer> nodeOf, JobModules modules, Body body, CheckpointStorage storage) {
        /** Creates a job that keeps no checkpoints. */
        public Job(final List<Integer> nodeOf, final JobModules modules, final Body body) {
            this(nodeOf, modules, body, CheckpointStorage.NONE);
        }
    }

    /** Runs jobs beside each other, which share the names of ports; each leaves its nodes when its ranks have ended. */
    public static void run(final Transport transport, final List<Job> jobs) throws Exception {
        final Map<String, String> names = new ConcurrentHashMap<>();
        final List<FutureTask<Void>> running = new ArrayList<>();
        for (int j = 0; j < jobs.size(); j++) {
            final Job job = jobs.get(j);
            final byte[] key = KEY.clone();
            key[0] += (byte) j;
            final FutureTask<Void> task = new FutureTask<>(() -> {
                run(job, "test" + (jobs.size() == 1 ? "" : Arrays.asList("A", "B", "C", "D").get(jobs.indexOf(job))), key, transport, names);
                return null;
            });
            running.add(task);
            if (jobs.size() == 1) {
                task.run();
            } else {
                Thread.ofPlatform().daemon().start(task);
            }
        }
        final AssertionError failure = new AssertionError();
        for (final FutureTask<Void> task : running) {
            try {
                task.get(2 * LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (final ExecutionException e) {
                if (jobs.size() == 1 && e.getCause() instanceof Error error) {
                    throw error;
                }
                failure.addSuppressed(e.getCause());
            }
        }
        if (failure.getSuppressed().length > 0) {
            throw new AssertionError(failure.getSuppressed()[0].toString(), failure.getSuppressed()[0]);
        }
    }

    private static void run(final Job plan, final String name, final byte[] key, final Transport transport, final Map<String, String> names)
        throws Exception {
        final int nodes = Collections.max(plan.nodeOf) + 1;
        final List<JobRanks> jobs = new CopyOnWriteArrayList<>();
        final List<Listener> listeners = new ArrayList<>();
        final List<NodeEndpoints> addresses = new ArrayList<>();
        for (int n = 0; n < nodes; n++) {
            final int node = n;
            listeners.add(transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> jobs.get(node).accept(link, hello)));
            final InetSocketAddress at = listeners.get(n).address();
            addresses.add(new NodeEndpoints("n" + n, List.of(Endpoint.tcp(at.getHostString(), at.getPort()))));
        }
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Names services = new Names(names, plan.nodeOf.size());
        for (int n = 0; n < nodes; n++) {
            final JobSpec spec =
                new JobSpec(name, key, addresses.stream().map(NodeEndpoints::name).toList(), plan.nodeOf, n, "none", List.of(), List.of());
            jobs.add(new JobRanks(spec,
                (node, reason) -> failure.compareAndSet(null, new AssertionError("node lost: " + node + ": " + reason)),
                new FailOnAbort(failure)));
            jobs.get(n).setModules(plan.modules);
            jobs.get(n)
                .serve(new JobServices(services, Map.of(Endpoint.TCP, transport), addresses, List.of(), 0, PlanProver.NONE, plan.storage));
        }
        try {
            for (final var connected : jobs.stream().map(j -> j.connect(Map.of(Endpoint.TCP, transport), addresses).toCompletableFuture()).toList()) {
                connected.get(60, TimeUnit.SECONDS);
            }
            start(jobs, plan.body, failure);
        } finally {
            end(jobs.stream().flatMap(j -> j.local().stream()).toList());
            jobs.forEach(JobRanks::leave);
            listeners.forEach(Listener::close);
            jobs.forEach(JobRanks::expectNoLinks);
        }
    }

    /** What daemons do for the ranks of a job, none of which fails, with names in a map. */
    public record Names(Map<String, String> names, int ranks, List<CompletableFuture<Void>> inFinalize) implements RankServices {
        /** Creates the services of a number of ranks. */
        public Names(final Map<String, String> names, final int ranks) {
            this(names, ranks, new ArrayList<>());
        }

        @Override
        public CompletionStage<Void> publish(final String name, final String port) {
            return names.putIfAbsent(name, port) == null ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(new IOException("it is published already"));
        }

        @Override
        public CompletionStage<String> lookup(final String name) {
            return CompletableFuture.completedFuture(names.getOrDefault(name, ""));
        }

        @Override
        public CompletionStage<String> spawn(final SpawnRequest request) {
            return CompletableFuture.failedFuture(new IOException("there is no daemon"));
        }

        @Override
        public CompletionStage<Boolean> unpublish(final String name) {
            return CompletableFuture.completedFuture(names.remove(name) != null);
        }

        @Override
        public void cancelSpawn(final String parent) {
            // nothing was spawned
        }

        @Override
        public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
            return CompletableFuture.failedFuture(new IOException("there is no daemon"));
        }

        @Override
        public CompletionStage<Void> inFinalize(final int rank) {
            final CompletableFuture<Void> answer = new CompletableFuture<>();
            synchronized (inFinalize) {
                inFinalize.add(answer);
                if (inFinalize.size() == ranks) {
                    inFinalize.forEach(a -> a.complete(null));
                }
            }
            return answer;
        }

        @Override
        public void checkpointed(final CheckpointReport report) {
            // nobody is to know
        }
    }

    /** The failure of a run by a rank that raised an error of another rank. */
    private static final class PeerError extends AssertionError {
        private static final long serialVersionUID = 1L;

        PeerError(final int worldRank, final Throwable error) {
            super("rank " + worldRank + " failed: " + error, error);
        }
    }

    /** Fails the run when a rank ends the job: with the first error, but preferably with one that is the rank's own. */
    private record FailOnAbort(AtomicReference<Throwable> failure) implements JobRanks.Abort {
        @Override
        public void abort(final int worldRank, final int status) {
            failure.compareAndSet(null, new AssertionError("abort: " + status));
        }

        @Override
        public void fail(final int worldRank, final Throwable error, final boolean byPeer) {
            if (byPeer) {
                failure.compareAndSet(null, new PeerError(worldRank, error));
            } else {
                failure.accumulateAndGet(new AssertionError("rank " + worldRank + " failed: " + error, error),
                    (first, own) -> first == null || first instanceof PeerError ? own : first);
            }
        }
    }

    private static void start(final List<JobRanks> jobs, final Body body, final AtomicReference<Throwable> failure) throws Exception {
        final List<Thread> threads = new ArrayList<>();
        final List<Rank> ranks = new ArrayList<>();
        for (final JobRanks job : jobs) {
            for (final Rank rank : job.local()) {
                ranks.add(rank);
                threads.add(new Thread(() -> live(rank, body, ranks, threads, failure), "rank-" + rank.worldRank()));
            }
        }
        threads.forEach(t -> t.setDaemon(true));
        threads.forEach(Thread::start);
        final long end = System.nanoTime() + LIMIT.toNanos();
        for (final Thread t : threads) {
            t.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            if (t.isAlive()) {
                final AssertionError late = new AssertionError("ranks did not end in " + LIMIT + stacks(threads));
                if (failure.get() != null) {
                    late.addSuppressed(failure.get());
                }
                throw late;
            }
        }
        final Throwable first = failure.get();
        if (first != null) {
            throw new AssertionError(first.toString(), first);
        }
    }

    private static void live(final Rank rank, final Body body, final List<Rank> all, final List<Thread> threads,
        final AtomicReference<Throwable> failure) {
        CoreOccupancy.enter();
        try {
            rank.init(ThreadLevel.MULTIPLE);
            body.run(rank);
            rank.finish();
        } catch (final Throwable e) {
            failure.compareAndSet(null, e);
            all.forEach(r -> r.end("another rank failed"));
            threads.forEach(LockSupport::unpark);
        } finally {
            CoreOccupancy.leave();
        }
    }

    /** Ends ranks as a node does when their programs have ended: helper threads that take part in something end. */
    private static void end(final List<Rank> ranks) {
        ranks.forEach(r -> r.end("rank " + r.worldRank() + " has ended"));
        ranks.forEach(Rank::release);
        Thread.getAllStackTraces().keySet().stream().filter(RankHelperThreads::isHelper).forEach(LockSupport::unpark);
    }

    private static String stacks(final List<Thread> threads) {
        final StringBuilder text = new StringBuilder();
        for (final Thread t : threads) {
            if (t.isAlive()) {
                text.append("\n").append(t.getName());
                for (final StackTraceElement e : t.getStackTrace()) {
                    text.append("\n    ").append(e);
                }
            }
        }
        return text.toString();
    }
}
