package tutti.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tutti.coll.CollModule;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.comm.Rank;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.Replacement;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.LossMode;
import tutti.runtime.model.MpiFailure;
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
    private final Map<Integer, Thread> threads = new ConcurrentHashMap<>();
    private final Set<Integer> killed = ConcurrentHashMap.newKeySet();
    private final Set<Integer> failed = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final int ranks;
    private final int nodeCount;
    private final List<NodeEndpoints> addresses = new ArrayList<>();
    /** Answers to requests for spare ranks. */
    private final Map<ReplacementRequest, CompletableFuture<List<Integer>>> replaced = new HashMap<>();
    /** Nodes of spare ranks that have taken a place. */
    private final Set<Integer> taken = ConcurrentHashMap.newKeySet();
    /** By spare rank that has taken a place, the rank with which the job began there. */
    private final Map<Integer, Integer> replaces = new ConcurrentHashMap<>();
    /** What ranks in Finalize wait for. */
    private final Map<Integer, CompletableFuture<Void>> inFinalize = new ConcurrentHashMap<>();
    /** By node, the number of its ranks that have ended. */
    private final Map<Integer, Integer> ended = new ConcurrentHashMap<>();
    /** The spare rank whose node does not receive all; negative for none. */
    private volatile int holding = -1;
    private volatile Body body;

    /** Creates a job whose ranks are placed in turn. */
    public FaultyRanks(final int ranks, final int nodeCount, final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        this(ranks, nodeCount, 0, parameters, modules);
    }

    /** Creates a job whose ranks are placed in turn, with spare ranks that have a node each. */
    public FaultyRanks(final int ranks, final int nodeCount, final int spares, final Map<String, String> parameters, final List<CollModule> modules)
        throws Exception {
        this(ranks, nodeCount, spares, parameters, modules, CheckpointStorage.NONE);
    }

    /** Creates a job whose ranks are placed in turn, with spare ranks that have a node each, and storage of checkpoints that all nodes share. */
    public FaultyRanks(final int ranks, final int nodeCount, final int spares, final Map<String, String> parameters, final List<CollModule> modules,
        final CheckpointStorage storage) throws Exception {
        this.ranks = ranks;
        this.nodeCount = nodeCount;
        final Map<String, String> all = new HashMap<>(parameters);
        all.put(LossMode.PARAMETER, LossMode.REPORT.toString());
        for (int n = 0; n < nodeCount + spares; n++) {
            final int node = n;
            transports.add(new Severed());
            listeners.add(transports.get(n).listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> nodes.get(node).accept(link, hello)));
            final InetSocketAddress at = listeners.get(n).address();
            addresses.add(new NodeEndpoints("n" + n, List.of(Endpoint.tcp(at.getHostString(), at.getPort()))));
        }
        for (int n = 0; n < nodeCount + spares; n++) {
            final int node = n;
            final List<String> names = addresses.stream().map(NodeEndpoints::name).toList();
            final JobSpec spec = new JobSpec("faulty", "0123456789abcdef".getBytes(), names,
                IntStream.range(0, ranks + spares).map(this::nodeOf).boxed().toList(), n, List.of(new JobProgram("none", List.of(), ranks)),
                List.of(), null, Map.of());
            nodes.add(new JobRanks(spec, (other, reason) -> linkLost(node, other, reason), new Abort()));
            nodes.get(n).setModules(Ranks.job(ranks, all, modules));
            nodes.get(n).serve(new JobServices(new Services(), Map.of(Endpoint.TCP, transports.get(n)), addresses,
                List.of(), 0, PlanProver.NONE, storage));
        }
        for (final var connected : IntStream.range(0, nodes.size())
            .mapToObj(n -> nodes.get(n).connect(Map.of(Endpoint.TCP, transports.get(n)), addresses).toCompletableFuture()).toList()) {
            connected.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Runs a body on all ranks; returns when all have ended. */
    public static void run(final int ranks, final int nodes, final Map<String, String> parameters, final List<CollModule> modules, final Body body)
        throws Exception {
        run(ranks, nodes, 0, parameters, modules, body);
    }

    /** Runs a body on all ranks, and on spare ones that take the places of others; returns when all have ended. */
    public static void run(final int ranks, final int nodes, final int spares, final Map<String, String> parameters, final List<CollModule> modules,
        final Body body) throws Exception {
        try (FaultyRanks job = new FaultyRanks(ranks, nodes, spares, parameters, modules)) {
            job.run(body);
        }
    }

    /** Runs a body on all ranks; returns when all have ended. */
    public void run(final Body of) throws Exception {
        body = of;
        nodes.subList(0, nodeCount).forEach(node -> node.local().forEach(this::start));
        final long end = System.nanoTime() + LIMIT.toNanos();
        // ranks that have not ended may start others
        for (Thread t = running(); t != null; t = running()) {
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

    /** Starts spare ranks in the places of failed ones, as a coordinator does; ranks that ask the same get the same answer. */
    private synchronized CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
        final CompletableFuture<List<Integer>> known = replaced.get(request);
        if (known != null) {
            return known;
        }
        final CompletableFuture<List<Integer>> answer = new CompletableFuture<>();
        replaced.put(request, answer);
        final List<Integer> free = IntStream.range(nodeCount, nodes.size()).filter(n -> !taken.contains(n) && !killed.contains(n))
            .map(n -> n - nodeCount + ranks).boxed().limit(request.failed().size()).toList();
        if (free.size() < request.failed().size()) {
            answer.completeExceptionally(new IOException("too few spare ranks: needed=" + request.failed().size() + ", left=" + free.size()));
            return answer;
        }
        final List<Integer> members = request.with(free);
        for (int i = 0; i < free.size(); i++) {
            final int spare = free.get(i);
            final List<NodeEndpoints> live = IntStream.range(0, nodes.size())
                .mapToObj(n -> livesOn(n) || n == nodeOf(spare) ? addresses.get(n)
                    : new NodeEndpoints("n" + n, List.of()))
                .toList();
            final int old = request.members().get(members.indexOf(spare));
            final int begun = replaces.getOrDefault(old, old);
            replaces.put(spare, begun);
            taken.add(nodeOf(spare));
            final Replacement place = new Replacement(spare, begun, (int) replaces.values().stream().filter(r -> r == begun).count(),
                request.context(), members, "n" + nodeOf(spare));
            final JobRanks node = nodes.get(nodeOf(spare));
            node.link(live).whenComplete((done, e) -> {
                if (e != null) {
                    failed.add(spare);
                    tell(spare);
                    return;
                }
                node.local().getFirst().replace(place);
                start(node.local().getFirst());
            });
        }
        answer.complete(free);
        return answer;
    }

    private void start(final Rank rank) {
        final Thread thread = new Thread(() -> live(rank, body), "rank-" + rank.worldRank());
        thread.setDaemon(true);
        threads.put(rank.worldRank(), thread);
        thread.start();
    }

    private final class Services implements RankServices {
        @Override
        public CompletionStage<Void> publish(final String name, final String port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<String> lookup(final String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> unpublish(final String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<String> spawn(final SpawnRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void cancelSpawn(final String parent) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
            return FaultyRanks.this.replace(request);
        }

        @Override
        public CompletionStage<Void> inFinalize(final int rank) {
            final CompletableFuture<Void> answer = new CompletableFuture<>();
            inFinalize.put(rank, answer);
            goOnIfAllWait();
            finalizeAll();
            return answer;
        }

        @Override
        public void checkpointed(final CheckpointReport report) {
            // nobody waits for it
        }
    }

    private void live(final Rank rank, final Body body) {
        CoreOccupancy.enter();
        try {
            init(rank);
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
            if (ended.merge(nodeOf(rank.worldRank()), 1, Integer::sum) == nodes.get(nodeOf(rank.worldRank())).local().size()) {
                nodes.get(nodeOf(rank.worldRank())).leave();
            }
        }
    }

    /** Performs Init; a spare rank ends if others have failed meanwhile. */
    private static void init(final Rank rank) {
        try {
            rank.init(ThreadLevel.MULTIPLE);
        } catch (final MpiFailure e) {
            if (rank.incarnation() == 0 || !e.isOfLoss() && e.errorClass() != ErrorClass.REVOKED) {
                throw e;
            }
            throw new Died();
        }
    }

    private void fail(final Rank rank) {
        rank.end("rank " + rank.worldRank() + " has ended");
        rank.release();
        failed.add(rank.worldRank());
        tell(rank.worldRank());
    }

    /** Lets the ranks go on that wait in Finalize if all that live do. */
    private void finalizeAll() {
        if (living().allMatch(inFinalize::containsKey)) {
            inFinalize.values().forEach(answer -> answer.complete(null));
        }
    }

    private Stream<Integer> living() {
        return Stream.concat(IntStream.range(0, ranks).boxed(), replaces.keySet().stream()).filter(this::lives);
    }

    private int nodeOf(final int rank) {
        return rank < ranks ? rank % nodeCount : nodeCount + rank - ranks;
    }

    /** Returns the number of nodes without those of spare ranks. */
    public int nodeCount() {
        return nodeCount;
    }

    /** Returns whether a rank lives. */
    public boolean lives(final int rank) {
        return !failed.contains(rank) && !killed.contains(nodeOf(rank));
    }

    /** Kills the node of a rank, with all its ranks, between two frames. */
    public void killNodeOf(final int rank) {
        kill(nodeOf(rank));
    }

    /** Kills a node, with its ranks, between two frames. */
    public void kill(final int node) {
        killed.add(node);
        transports.get(node).sever();
        for (final Rank rank : nodes.get(node).local()) {
            rank.end("node was killed");
            final Thread thread = threads.get(rank.worldRank());
            if (thread != null) {
                LockSupport.unpark(thread);
            }
        }
    }

    /** Keeps what the node of a spare rank receives from another node, until all other ranks are in Finalize. */
    public void hold(final int spare, final int from) {
        transports.get(nodeOf(spare)).hold(listeners.get(from).address());
        holding = spare;
    }

    private void goOnIfAllWait() {
        final int spare = holding;
        if (spare >= 0 && living().filter(r -> r != spare).allMatch(inFinalize::containsKey)) {
            holding = -1;
            transports.get(nodeOf(spare)).goOn();
        }
    }

    private void linkLost(final int reporter, final int node, final String reason) {
        if (killed.contains(node)) {
            tell(IntStream.range(0, ranks + nodes.size() - nodeCount).filter(r -> nodeOf(r) == node).toArray());
        } else if (livesOn(reporter) && livesOn(node)) {
            failure.compareAndSet(null, new AssertionError("link lost: node=" + node + ", reason=" + reason));
        }
    }

    private boolean livesOn(final int node) {
        return living().anyMatch(r -> nodeOf(r) == node);
    }

    private void tell(final int... lost) {
        IntStream.range(0, nodes.size()).filter(n -> !killed.contains(n)).forEach(n -> nodes.get(n).lose(lost, "on purpose"));
        finalizeAll();
    }

    @Override
    public void close() {
        nodes.forEach(JobRanks::leave);
        listeners.forEach(Listener::close);
        nodes.forEach(JobRanks::expectNoLinks);
        memory.close();
    }

    private Thread running() {
        return threads.values().stream().filter(Thread::isAlive).findFirst().orElse(null);
    }

    private String stacks() {
        final StringBuilder text = new StringBuilder();
        nodes.forEach(n -> n.local().stream().filter(r -> threads.containsKey(r.worldRank()) && threads.get(r.worldRank()).isAlive())
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
        private final List<Runnable> held = new ArrayList<>();
        private InetSocketAddress heldFrom;
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
            final Link link = memory.connect(address, hello, handler(holding(address, handler)), limit);
            links.add(link);
            return link(link);
        }

        /** Returns a handler whose frames can be held. */
        private LinkHandler holding(final InetSocketAddress from, final LinkHandler of) {
            return new LinkHandler() {
                @Override
                public void frame(final Link link, final MemorySegment segment, final long at, final int bytes) {
                    synchronized (held) {
                        if (!from.equals(heldFrom)) {
                            of.frame(link, segment, at, bytes);
                            return;
                        }
                        final MemorySegment copy = MemorySegment.ofArray(segment.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE));
                        held.add(() -> of.frame(link, copy, 0, bytes));
                    }
                }

                @Override
                public void writable(final Link link) {
                    of.writable(link);
                }

                @Override
                public void closed(final Link link, final Throwable cause) {
                    of.closed(link, cause);
                }

                @Override
                public boolean isWakeUpNeeded() {
                    return of.isWakeUpNeeded();
                }
            };
        }

        /** Keeps all frames of a node to which this one has connected, until {@link #goOn}. */
        void hold(final InetSocketAddress from) {
            synchronized (held) {
                heldFrom = from;
            }
        }

        void goOn() {
            synchronized (held) {
                heldFrom = null;
                held.forEach(Runnable::run);
                held.clear();
            }
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
