package tutti.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import tutti.coll.CollModule;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.comm.Rank;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.PlanProver;
import tutti.runtime.process.RankProcess;
import tutti.runtime.process.owner.JobEndedError;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Runs the ranks of a job that goes on without those that fail, in one JVM, on nodes that a transport connects. Nodes are killed and ranks fail while
 * the job runs: what a coordinator does then is done here.
 */
public final class FaultyRanks implements AutoCloseable {
    /** The body of a rank. */
    public interface Body {
        /** Runs between Init and Finalize of the rank. */
        void run(Rank rank, FaultyRanks job) throws Exception;
    }

    /** Thrown by the body of a rank that fails on purpose. */
    public static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final Duration LIMIT = Duration.ofSeconds(Integer.getInteger("tutti.faulty.limit", 90));

    private final MemoryTransport memory = new MemoryTransport(128 * 1024);
    private final List<JobRanks> nodes = new CopyOnWriteArrayList<>();
    private final List<Severed> transports = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Map<Integer, Thread> threads = new HashMap<>();
    private final Set<Integer> killed = ConcurrentHashMap.newKeySet();
    private final Set<Integer> failed = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final int ranks;

    /** Creates a job whose ranks are placed in turn. */
    public FaultyRanks(final int ranks, final int nodeCount, final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        this.ranks = ranks;
        final Map<String, String> all = new HashMap<>(parameters);
        all.put(LossMode.PARAMETER, LossMode.REPORT.toString());
        final List<NodeEndpoints> addresses = new ArrayList<>();
        for (int n = 0; n < nodeCount; n++) {
            final int node = n;
            transports.add(new Severed());
            listeners.add(transports.get(n).listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> nodes.get(node).accept(link, hello)));
            final InetSocketAddress at = listeners.get(n).address();
            addresses.add(new NodeEndpoints("n" + n, List.of(Endpoint.tcp(at.getHostString(), at.getPort()))));
        }
        for (int n = 0; n < nodeCount; n++) {
            final int node = n;
            final JobSpec spec = new JobSpec("faulty", "0123456789abcdef".getBytes(), addresses.stream().map(NodeEndpoints::name).toList(),
                IntStream.range(0, ranks).map(r -> r % nodeCount).boxed().toList(), n, "none", List.of(), List.of());
            nodes.add(new JobRanks(spec, (other, reason) -> linkLost(node, other, reason), new Abort()));
            nodes.get(n).setModules(Ranks.job(ranks, all, modules));
            nodes.get(n).serve(new JobServices(new Ranks.Names(new ConcurrentHashMap<>()), Map.of(Endpoint.TCP, transports.get(n)), addresses,
                List.of(), 0, PlanProver.NONE, CheckpointStorage.NONE));
        }
        for (final var connected : IntStream.range(0, nodeCount)
            .mapToObj(n -> nodes.get(n).connect(Map.of(Endpoint.TCP, transports.get(n)), addresses).toCompletableFuture()).toList()) {
            connected.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Runs a body on all ranks; returns when all have ended. */
    public static void run(final int ranks, final int nodes, final Map<String, String> parameters, final List<CollModule> modules, final Body body)
        throws Exception {
        try (FaultyRanks job = new FaultyRanks(ranks, nodes, parameters, modules)) {
            job.run(body);
        }
    }

    /** Runs a body on all ranks; returns when all have ended. */
    public void run(final Body body) throws Exception {
        for (final JobRanks node : nodes) {
            for (final Rank rank : node.local()) {
                threads.put(rank.worldRank(), new Thread(() -> live(rank, body), "rank-" + rank.worldRank()));
            }
        }
        threads.values().forEach(t -> t.setDaemon(true));
        threads.values().forEach(Thread::start);
        final long end = System.nanoTime() + LIMIT.toNanos();
        for (final Thread t : threads.values()) {
            TimeUnit.NANOSECONDS.timedJoin(t, Math.max(1, end - System.nanoTime()));
            if (t.isAlive()) {
                final AssertionError late = new AssertionError("ranks did not end in " + LIMIT + ", killed nodes=" + killed + ", failed=" + failed
                    + stacks());
                if (failure.get() != null) {
                    late.addSuppressed(failure.get());
                }
                throw late;
            }
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get().toString(), failure.get());
        }
    }

    private void live(final Rank rank, final Body body) {
        CoreOccupancy.enter();
        try {
            rank.init(ThreadLevel.MULTIPLE);
            body.run(rank, this);
            rank.finish();
        } catch (final Died e) {
            fail(rank);
        } catch (final JobEndedError e) {
            if (!killed.contains(nodeOf(rank.worldRank()))) {
                failure.compareAndSet(null, e);
            }
        } catch (final Throwable e) {
            if (!killed.contains(nodeOf(rank.worldRank()))) {
                failure.compareAndSet(null, new AssertionError("rank " + rank.worldRank() + ": " + e, e));
                fail(rank);
            }
        } finally {
            CoreOccupancy.leave();
        }
    }

    private void fail(final Rank rank) {
        rank.end("rank " + rank.worldRank() + " has ended");
        rank.release();
        failed.add(rank.worldRank());
        tell(rank.worldRank());
    }

    private int nodeOf(final int rank) {
        return rank % nodes.size();
    }

    /** Returns the number of nodes. */
    public int nodeCount() {
        return nodes.size();
    }

    /** Returns whether a rank lives. */
    public boolean lives(final int rank) {
        return !failed.contains(rank) && !killed.contains(nodeOf(rank));
    }

    /** Kills a node, with its ranks, between two frames. */
    public void kill(final int node) {
        killed.add(node);
        transports.get(node).sever();
        for (final Rank rank : nodes.get(node).local()) {
            rank.end("node was killed");
            LockSupport.unpark(threads.get(rank.worldRank()));
        }
    }

    private void linkLost(final int reporter, final int node, final String reason) {
        if (killed.contains(node)) {
            tell(IntStream.range(0, ranks).filter(r -> nodeOf(r) == node).toArray());
        } else if (IntStream.range(0, ranks).anyMatch(r -> nodeOf(r) == reporter && lives(r))) {
            failure.compareAndSet(null, new AssertionError("link lost: node=" + node + ", reason=" + reason));
        }
    }

    private void tell(final int... lost) {
        IntStream.range(0, nodes.size()).filter(n -> !killed.contains(n)).forEach(n -> nodes.get(n).lose(lost, "on purpose"));
    }

    @Override
    public void close() {
        nodes.forEach(JobRanks::leave);
        listeners.forEach(Listener::close);
        nodes.forEach(JobRanks::expectNoLinks);
        memory.close();
    }

    private String stacks() {
        final StringBuilder text = new StringBuilder();
        nodes.forEach(n -> n.local().stream().filter(r -> threads.get(r.worldRank()).isAlive())
            .forEach(r -> text.append("\n").append(r.inspect(
                new RankProcess.Activity(false, threads.get(r.worldRank()), new StackTraceElement[0], null, List.of())))));
        for (final Thread t : threads.values()) {
            if (t.isAlive()) {
                text.append("\n").append(t.getName());
                for (final StackTraceElement e : t.getStackTrace()) {
                    text.append("\n    ").append(e);
                }
            }
        }
        return text.toString();
    }

    private final class Abort implements JobRanks.Abort {
        @Override
        public void abort(final int worldRank, final int status) {
            failure.compareAndSet(null, new AssertionError("abort: " + status));
        }

        @Override
        public void fail(final int worldRank, final Throwable error, final boolean byPeer) {
            failure.compareAndSet(null, new AssertionError("rank " + worldRank + " failed: " + error, error));
        }
    }

    /** The transport of a node: when it is severed, all its links lose their frames, and close. */
    private final class Severed implements Transport {
        private final List<Link> links = new CopyOnWriteArrayList<>();
        private volatile boolean severed;

        void sever() {
            severed = true;
            links.forEach(Link::close);
        }

        @Override
        public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
            return memory.listen(address, (link, hello) -> {
                links.add(link);
                return handler(acceptor.accept(link(link), hello));
            });
        }

        @Override
        public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit)
            throws IOException {
            final Link link = memory.connect(address, hello, handler(handler), limit);
            links.add(link);
            return link(link);
        }

        private LinkHandler handler(final LinkHandler of) {
            return new LinkHandler() {
                @Override
                public void frame(final Link link, final MemorySegment memorySegment, final long at, final int bytes) {
                    if (!severed) {
                        of.frame(link, memorySegment, at, bytes);
                    }
                }

                @Override
                public void writable(final Link link) {
                    if (!severed) {
                        of.writable(link);
                    }
                }

                @Override
                public void closed(final Link link, final Throwable cause) {
                    if (!severed) {
                        of.closed(link, cause);
                    }
                }

                @Override
                public boolean isWakeUpNeeded() {
                    return of.isWakeUpNeeded();
                }
            };
        }

        private Link link(final Link of) {
            return new Link() {
                @Override
                public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long offset, final int bytes) {
                    return severed || of.trySend(header, headerBytes, payload, offset, bytes);
                }

                @Override
                public BulkAccess bulk() {
                    return of.bulk();
                }

                @Override
                public int maxFrame() {
                    return of.maxFrame();
                }

                @Override
                public String peer() {
                    return of.peer();
                }

                @Override
                public void close() {
                    of.close();
                }
            };
        }
    }
}
