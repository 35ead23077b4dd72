package tutti.daemon.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.CheckpointOption;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.process.owner.RankOutcome;

/**
 * Coordinator of one job, from a client's request to its end: places the ranks, sends the program to the nodes, tells them to prepare, connect and
 * start, and ends the job on all nodes when it is complete or fails. One thread does all this; other threads only add to its queue of events.
 */
final class JobCoordinator implements JobPartProxy.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(JobCoordinator.class);
    private static final Duration PREPARE_LIMIT = Duration.ofSeconds(120);
    /** How long nodes may fetch the files of a checkpoint from each other. */
    private static final Duration RESTART_LIMIT = Duration.ofMinutes(15);
    private static final Duration END_LIMIT = Duration.ofSeconds(6);
    /** How long nodes have to tell what their ranks do. */
    private static final Duration INSPECT_LIMIT = Duration.ofMillis(1500);
    /** How long spawned jobs may take to end when they were told to. */
    private static final Duration SPAWNED_LIMIT = Duration.ofSeconds(60);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Event for the coordinator's thread. */
    private sealed interface Event {
        /** Message from the part on a node. */
        record Reported(int node, Message message) implements Event {}

        /** Loss of the part on a node: of the link to it, or of the node. */
        record PartLost(int node, String reason, boolean byLink) implements Event {}

        /** Standard input for rank 0. */
        record Input(byte[] bytes) implements Event {}

        /** Request to end the job. */
        record EndRequested(int status, String text) implements Event {}
    }

    /** End of the job, with an exit status and a text for the user. */
    private static final class JobEndedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;
        private final String text;
        /** True if the reason is an error of another rank, which that rank may still raise. */
        private final boolean isByPeer;
        /** Index of the node whose loss is the reason, as another one saw it, which that node may still explain; -1 otherwise. */
        private int lostNode = -1;
        /** The lost link that is the reason; null if another one is. */
        private transient @Nullable LostLink link;
        /** What the other node of that link has reported about it; null if nothing. */
        private @Nullable String otherReason;
        /** True if the user may want to know what the ranks did. */
        private boolean isWithRanks;

        JobEndedException(final int status, final String text) {
            this(status, text, false);
        }

        JobEndedException(final int status, final String text, final boolean isByPeer) {
            super(text, null, false, false);
            this.text = text;
            this.status = status;
            this.isByPeer = isByPeer;
        }
    }

    private final String id;
    private final JobPlan plan;
    private final Message.Run run;
    private final NodeInfo self;
    private final Cluster cluster;
    private final ClusterLinks links;
    private final JobTransports transports;
    private final PartSupport support;
    private final JobHost host;
    private final JobAgreementResolver resolver;
    private final Path folder;
    private final JobHistory history;
    private final JobClient client;
    private final ProgramStore store;
    private final MeasurementStore.Job measurements;
    private final OutputRelay output;
    private final JobInspector inspector = new JobInspector();
    private final StallWatch watch;
    private long nextCheckpoint = Long.MAX_VALUE;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicBoolean inputWanted = new AtomicBoolean();
    private final long since = System.currentTimeMillis();
    private final long deadline;
    private final List<JobPartProxy> parts = new ArrayList<>();
    private final CheckpointOrders checkpoints = new CheckpointOrders(() -> parts.stream().filter(p -> !p.isEnded()).toList());
    private final Set<Integer> running = new TreeSet<>();
    private int nodeOfRankZero;
    /** Class of the links between the nodes, which is measured while these prepare. */
    private CompletableFuture<LinkSpeed> linkSpeed = CompletableFuture.completedFuture(LinkSpeed.FAST);
    /** The checkpoint from which the job continues; null if it begins anew. */
    private Message.@Nullable Restart restart;
    private volatile List<Integer> nodeOfRank = List.of();
    /** Number of running jobs that the part on each node has spawned. */
    private final Map<Integer, Integer> spawned = new HashMap<>();
    /** Whether the jobs that this one has spawned end with it. */
    private boolean endsSpawned;
    private volatile String state = "starting";
    private volatile boolean isEnded;
    private volatile List<NodeAddress> nodes = List.of();
    /** Processes of the nodes, in the same order. */
    private volatile List<NodeInfo> processes = List.of();
    private volatile List<String> modules = List.of();
    private volatile int ranks;
    /** Whether a checkpoint of this job was attempted. */
    private volatile boolean hasCheckpoints;

    JobCoordinator(final String id, final JobPlan plan, final NodeInfo self, final Cluster cluster, final ClusterLinks links,
        final JobTransports transports,
        final PartSupport support, final JobHost host, final JobAgreementResolver resolver, final Path folder,
        final JobHistory history, final MeasurementStore measurements, final JobClient client) {
        this.id = id;
        this.plan = plan;
        this.run = plan.run();
        this.self = self;
        this.cluster = cluster;
        this.links = links;
        this.transports = transports;
        this.support = support;
        this.host = host;
        this.resolver = resolver;
        this.folder = folder;
        this.history = history;
        this.client = client;
        this.store = new ProgramStore(folder.resolve("program"));
        this.measurements = measurements.of(id, run.program());
        this.output = new OutputRelay(id, client, run.traced(), this.measurements);
        this.ranks = run.ranks();
        this.watch = new StallWatch(StallOption.millis(run.parameters()), waited -> inspector.ask(parts, waited), this::analysis);
        this.deadline = run.timeoutMillis() == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(run.timeoutMillis());
    }

    /** Receives a piece of the program from the client. */
    void program(final int file, final byte[] bytes) {
        store.offer(file, bytes);
    }

    @Override
    public void inputWanted() {
        inputWanted.set(true);
        client.postInputCredit();
    }

    @Override
    public void reported(final int node, final Message message) {
        if (message instanceof final Message.Inspected inspected) {
            inspector.answered(node, inspected);
            return;
        }
        if (message instanceof final Message.LastPoint last) {
            checkpoints.lastPoint(node, last);
            return;
        }
        if (message instanceof final Message.Checkpointed report) {
            checkpointed(report);
            return;
        }
        events.add(new Event.Reported(node, message));
    }

    @Override
    public void partLost(final int node, final String reason) {
        events.add(new Event.PartLost(node, reason, true));
    }

    @Override
    public void programUnreadable(final String reason) {
        end(ExitStatus.FAILED, "program cannot be read: " + reason);
    }

    /** Receives from the client the standard input that rank 0 requested. */
    void input(final byte[] bytes) {
        if (!inputWanted.compareAndSet(true, false)) {
            throw new IllegalStateException("input was not requested by any rank: bytes=" + bytes.length);
        }
        events.add(new Event.Input(bytes));
    }

    /** Adds credit for output that the client has printed. */
    void outputCredit(final int bytes) {
        output.outputCredit(bytes);
    }

    /** Ends the job with a status and a text for the user. */
    void end(final int status, final String text) {
        events.add(new Event.EndRequested(status, text));
        store.close();
    }

    /** Ends the job because the link to its client is lost. */
    void clientLost() {
        output.close();
        end(ExitStatus.FAILED, "the client is gone");
    }

    /** Notifies that a node left the cluster. A later process of the same name has no part in the job. */
    void nodeLost(final NodeInfo node, final String reason) {
        for (int i = 0; i < processes.size(); i++) {
            if (processes.get(i).isSameProcess(node)) {
                events.add(new Event.PartLost(i, reason, false));
            }
        }
    }

    /** Returns whether the job has ended and its client has been told. */
    boolean isEnded() {
        return isEnded;
    }

    JobInfo info() {
        return new JobInfo(id, state, ranks, nodes.stream().map(NodeAddress::node).distinct().toList(), modules, run.program(), since,
            run.launchedBy(),
            self.name());
    }

    /** Tells the user of the job, on its error output, that a module of it is in quarantine. */
    void quarantined(final QuarantinedModule module) {
        if (modules.contains(module.module().toString())) {
            tell("tutti: module " + module.module() + " is quarantined, which this job may use: " + module.reason() + "\n");
        }
    }

    /** Prints text on the error output of the job. */
    private void tell(final String text) {
        Thread.ofVirtual().name("tutti-" + id + "-tell").inheritInheritableThreadLocals(false).start(() -> {
            try {
                output.sendOutput(0, true, text.getBytes(StandardCharsets.UTF_8));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Runs the job to its end. Called on a thread of its own. */
    void coordinate() {
        JobEndedException end = new JobEndedException(ExitStatus.OK, "");
        output.start();
        try {
            client.post(new Message.Accepted(id));
            prepare();
            connect();
            state = "running";
            history.began(JobRecord.of(info()));
            for (final JobPartProxy p : parts) {
                p.order(Message.Verb.START, "");
            }
            checkpoints.begin();
            scheduleCheckpoint();
            while (!running.isEmpty()) {
                if (events.isEmpty() && System.nanoTime() - watch.nextAt() >= 0 && watch.nextAt() != Long.MAX_VALUE) {
                    look();
                }
                if (nextCheckpoint != Long.MAX_VALUE && System.nanoTime() - nextCheckpoint >= 0) {
                    checkpoints.order();
                    scheduleCheckpoint();
                }
                nextUntil(Math.min(watch.nextAt(), nextCheckpoint));
            }
        } catch (final JobEndedException over) {
            end = withReport(over);
        } catch (final IOException | RuntimeException e) {
            end = new JobEndedException(ExitStatus.FAILED, "job could not be started: " + Protocol.oneLine(e));
            LOG.debug("job {} failed", id, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            state = "ending";
            checkpoints.end();
            finish(end);
        }
    }

    private void scheduleCheckpoint() {
        final long every = CheckpointOption.of(run.parameters()).millis();
        nextCheckpoint = every == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(every);
    }

    /** Accepts what became of a checkpoint. */
    private void checkpointed(final Message.Checkpointed report) {
        LOG.info("job {}: checkpoint {} at point {}: bytes={}, ms={}{}", id, report.number(), report.point(), report.bytes(),
            TimeUnit.NANOSECONDS.toMillis(report.nanos()), report.problem() == null ? "" : ", failed: " + report.problem());
        hasCheckpoints = true;
        history.checkpointed(report.problem() == null, report.bytes());
        checkpoints.checkpointed(report);
    }

    /** Returns the orders of checkpoints. */
    CheckpointOrders checkpoints() {
        return checkpoints;
    }

    /** Looks for ranks that wait for each other. */
    private void look() throws JobEndedException {
        switch (watch.look()) {
            case StallWatch.Finding.Deadlock d -> throw new JobEndedException(ExitStatus.DEADLOCK, "job " + id + " was ended: "
                + (d.analysis().stuck().size() == 1 ? "a rank waits for what cannot come" : d.analysis().stuck().size()
                    + " ranks wait for what cannot come")
                + "\n" + d.analysis().report());
            case StallWatch.Finding.Stall s -> tell("tutti: job " + id
                + (s.analysis().waitsForOtherJob() ? " waits for another job\n" : " makes no progress: all its ranks wait\n") + s.analysis().report()
                + "\n");
            case StallWatch.Finding.Nothing n -> LOG.trace("job {} was looked at", id);
        }
    }

    private StallAnalysis analysis(final List<RankState> states) {
        final List<RankState> all = new ArrayList<>(states);
        final Set<Integer> known = states.stream().map(RankState::rank).collect(Collectors.toSet());
        // a part is not asked when all its ranks have ended
        IntStream.range(0, ranks).filter(r -> !known.contains(r) && parts.stream().anyMatch(p -> p.node() == nodeOfRank.get(r) && p.isEnded()))
            .forEach(r -> all.add(new RankState(r, RankState.Activity.ENDED, null, null, 0, List.of(), List.of(), List.of())));
        return new StallAnalysis(ranks, all, rank -> name(nodeOfRank.get(rank)));
    }

    /** Returns what the ranks do; those whose nodes do not answer soon are not known. Blocks. */
    JobActivity ranks() throws InterruptedException {
        if (nodeOfRank.isEmpty() || state.equals("starting")) {
            return JobActivity.starting(ranks, "job " + id + " is starting");
        }
        return inspected().ranks();
    }

    private StallAnalysis inspected() throws InterruptedException {
        final CompletableFuture<List<RankState>> asked = inspector.ask(parts, 0);
        try {
            return analysis(asked.get(INSPECT_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
        } catch (final ExecutionException | TimeoutException e) {
            return analysis(inspector.partial(asked));
        }
    }

    /** Returns an end by a time limit or by the user with what the ranks did. */
    private JobEndedException withReport(final JobEndedException over) {
        if (!over.isWithRanks || running.isEmpty() || !state.equals("running")) {
            return over;
        }
        try {
            final StallAnalysis found = inspected();
            return found.knowsAny() ? new JobEndedException(over.status, over.getMessage() + "\n" + found.report()) : over;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return over;
        }
    }

    private ClusterCheckpoints checkpointsOfCluster() {
        return Objects.requireNonNull(support.checkpoints(), "a node has the checkpoints of its cluster");
    }

    private void prepare() throws IOException, InterruptedException, JobEndedException {
        final List<Path> files = receive();
        restart = run.restart() == null ? null : checkpointsOfCluster().restart(run.restart());
        if (restart != null && run.ranks() != 0 && run.ranks() != restart.ranks()) {
            throw new JobEndedException(ExitStatus.FAILED, "checkpoint " + restart.series() + "/" + restart.number() + " is one of " + restart.ranks()
                + " ranks, and the job has " + run.ranks() + ": start it with -n " + restart.ranks());
        }
        final List<NodeInfo> members = cluster.nodes();
        final JobPlan.PlacedRanks placed = plan.placer().place(members, restart == null ? run.ranks() : restart.ranks());
        final Placement placement = placed.placement().perJvm(RanksPerJvm.of(run.parameters()));
        nodes = placement.nodes();
        processes = nodes.stream().map(n -> members.stream().filter(m -> m.name().equals(n.node())).findFirst().orElseThrow()).toList();
        nodeOfRank = List.copyOf(placement.nodeOfRank());
        nodeOfRankZero = placement.nodeOfRank().getFirst();
        ranks = placement.nodeOfRank().size();
        for (int r = 0; r < ranks; r++) {
            running.add(r);
        }
        if (run.placed()) {
            client.post(new Message.Placed(placed.placement().nodes().stream().map(NodeAddress::name).toList(), placed.placement().nodeOfRank()));
        }
        if (!run.parameters().containsKey(LinkSpeed.PARAMETER)) {
            linkSpeed = CompletableFuture.supplyAsync(() -> links.between(processes.stream().distinct().toList()),
                task -> Thread.ofVirtual().name("tutti-" + id + "-links")
                    .start(task));
        }
        final byte[] key = new byte[32];
        RANDOM.nextBytes(key);
        final List<String> names = nodes.stream().map(NodeAddress::name).toList();
        for (int node = 0; node < nodes.size(); node++) {
            final Message.Prepare prepare = new Message.Prepare(id, key, scheme(), names, placement.nodeOfRank(), node, placed.programs(),
                run.files(), plan.parent() == null ? null : plan.parent().port(), run.environment(), restart, plan.owner(),
                plan.parent() == null ? null : plan.parent().job());
            try {
                parts.add(nodes.get(node).node().equals(self.name())
                    ? new LocalPartProxy(node, this, output, support, folder.resolve("part-" + node), names.get(node)).prepare(prepare, files, host,
                        transports)
                    : new RemotePartProxy(node, this, output).prepare(nodes.get(node), prepare, files, self, transports.control()));
            } catch (final IOException e) {
                throw new JobEndedException(ExitStatus.NO_CLUSTER, "node " + nodes.get(node) + " cannot be reached: " + Protocol.oneLine(e));
            }
        }
    }

    /** Returns the scheme of the transport between the job's nodes. */
    private String scheme() {
        return run.parameters().getOrDefault(JobTransports.PARAMETER, JobTransports.OWN_SCHEME);
    }

    /** Returns copies of files that may be deleted when the job that has them ends. */
    private List<Path> copy(final List<Path> files) throws IOException {
        final Path into = Files.createDirectories(folder.resolve("program"));
        final List<Path> copies = new ArrayList<>();
        for (final Path file : files) {
            copies.add(Files.copy(file, into.resolve(copies.size() + ".jar")));
        }
        return copies;
    }

    /** Receives the program from the client. */
    private List<Path> receive() throws InterruptedException, JobEndedException {
        try {
            if (plan.files() != null) {
                return copy(plan.files());
            }
            return store.store(run.files(), client::postProgramCredit, deadline);
        } catch (final IOException e) {
            if (!events.isEmpty() || System.nanoTime() >= deadline) {
                // the program is incomplete because the job was ended meanwhile
                next(Long.MAX_VALUE, "");
            }
            throw new JobEndedException(ExitStatus.FAILED, "node " + self.name() + ": " + Protocol.oneLine(e));
        }
    }

    private static Message.Prepared of(final Map<String, Message.Prepared> prepared, final String node) {
        return Objects.requireNonNull(prepared.get(node), "every node is prepared");
    }

    private static NodeAddress listenerOf(final String node, final Message.Prepared prepared) {
        final HostPort listener = Objects.requireNonNull(prepared.listener(), "the transport was checked");
        return new NodeAddress(node, listener.host(), listener.port());
    }

    /** Resolves the agreement on modules and tells the nodes to connect to each other. */
    private void connect() throws InterruptedException, JobEndedException {
        final Map<String, Message.Prepared> prepared = new LinkedHashMap<>();
        await("prepared", (node, m) -> m instanceof Message.Prepared p && prepared.put(name(node), p) == null);
        final Map<String, Catalogue> catalogues = new LinkedHashMap<>();
        nodes.forEach(n -> catalogues.put(n.name(), of(prepared, n.name()).catalogue()));
        final AgreedModules agreement;
        try {
            agreement = resolver.resolve(catalogues, run.parameters(), run.rules()).with(linkSpeed.join());
            JobAgreementResolver.checkTransport(scheme(), prepared);
        } catch (final JobAgreementResolver.JobRefusedException e) {
            throw new JobEndedException(e.status(), String.valueOf(e.getMessage()));
        }
        final List<NodeAddress> listeners = nodes.stream().map(NodeAddress::name)
            .map(n -> listenerOf(n, of(prepared, n))).toList();
        modules = agreement.modules().stream().map(ModuleId::toString).toList();
        final Message.Connect connect = new Message.Connect(agreement, listeners, nodes.stream().map(n -> reached(n, of(prepared, n.name()).ports()))
            .toList());
        for (final JobPartProxy p : parts) {
            p.connect(connect);
        }
        await("connected", (node, m) -> m instanceof Message.Progress p && p.phase() == Message.Phase.CONNECTED);
    }

    /** Returns where other jobs reach the ranks on a node. */
    private static NodeAddress reached(final NodeAddress daemon, final @Nullable HostPort ports) {
        return ports == null ? daemon : new NodeAddress(daemon.name(), ports.host(), ports.port());
    }

    /** Waits until every part has sent an expected message. */
    private void await(final String phase, final BiPredicate<Integer, Message> expected) throws InterruptedException, JobEndedException {
        final Duration patience = restart == null ? PREPARE_LIMIT : RESTART_LIMIT;
        long limit = System.nanoTime() + patience.toNanos();
        final Set<Integer> missing = new TreeSet<>();
        parts.forEach(p -> missing.add(p.node()));
        while (!missing.isEmpty()) {
            final Event e = next(limit, "nodes did not get ready: phase=" + phase + ", limit=" + patience.toSeconds() + " s, missing="
                + missing.stream().map(this::name).toList());
            if (e instanceof Event.Reported(int node, Message m) && expected.test(node, m)) {
                missing.remove(node);
                limit = System.nanoTime() + patience.toNanos();
            }
        }
    }

    /**
     * Handles one event.
     *
     * @param late reason when no event arrives until {@code limit}
     * @throws JobEndedException when the event ends the job, or the time limit is reached
     */
    private Event next(final long limit, final String late) throws InterruptedException, JobEndedException {
        final long until = Math.min(limit, deadline);
        final Event event = until == Long.MAX_VALUE ? events.take() : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (event == null) {
            throw until == deadline ? timedOut() : new JobEndedException(ExitStatus.NO_CLUSTER, late);
        }
        handle(event);
        return event;
    }

    /** Handles an event that arrives until a time, if any does. */
    private void nextUntil(final long time) throws InterruptedException, JobEndedException {
        final long until = Math.min(time, deadline);
        final Event event = until == Long.MAX_VALUE ? events.take() : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (event != null) {
            handle(event);
        } else if (until == deadline) {
            throw timedOut();
        }
    }

    private void handle(final Event event) throws JobEndedException {
        switch (event) {
            case Event.Input i -> parts.stream().filter(p -> p.node() == nodeOfRankZero).forEach(p -> p.sendInput(i.bytes()));
            case Event.EndRequested o -> {
                endsSpawned = true;
                throw withRanks(new JobEndedException(o.status(), o.text()));
            }
            case Event.PartLost g -> {
                partEnded(g.node());
                spawned.remove(g.node());
                final JobEndedException end = new JobEndedException(ExitStatus.NO_CLUSTER, "node " + name(g.node()) + " was lost: " + g.reason());
                end.link = g.byLink() ? link(self.name(), name(g.node()), g.reason()) : null;
                throw end;
            }
            case Event.Reported(int node, Message.NodeLost l) -> {
                final JobEndedException end = new JobEndedException(ExitStatus.NO_CLUSTER, "node " + name(l.node()) + " was lost: " + l.reason()
                    + " (reported by node " + name(node) + ")");
                end.lostNode = l.node();
                end.link = link(name(node), name(l.node()), l.reason());
                throw end;
            }
            case Event.Reported(int node, Message.RankEnded r) -> rankEnded(node, r);
            case Event.Reported(int node, Message.Progress p) -> {
                countSpawned(node, p);
                if (p.phase() == Message.Phase.FAILED) {
                    parts.get(node).markEnded();
                    throw new JobEndedException(p.status(), "node " + name(node) + ": " + p.text());
                }
                if (p.phase() == Message.Phase.ENDED) {
                    parts.get(node).markEnded();
                }
            }
            case Event.Reported(int node, Message.Prepared p) -> LOG.debug("job {}: node {} is prepared", id, name(node));
            case Event.Reported r -> throw new JobEndedException(ExitStatus.NO_CLUSTER, "node " + name(r.node()) + " broke the protocol");
        }
    }

    /** Returns a lost link of two nodes; null where both ends are JVMs of one node, of which no other node knows more. */
    private static @Nullable LostLink link(final String from, final String to, final String reason) {
        final String node = NodeAddress.nodeOf(from);
        final String other = NodeAddress.nodeOf(to);
        return node.equals(other) ? null : new LostLink(node, other, reason);
    }

    private void countSpawned(final int node, final Message.Progress p) {
        if (p.phase() == Message.Phase.SPAWNED) {
            spawned.merge(node, 1, Integer::sum);
        } else if (p.phase() == Message.Phase.SPAWN_ENDED) {
            spawned.computeIfPresent(node, (n, count) -> count == 1 ? null : count - 1);
        }
    }

    private JobEndedException timedOut() {
        endsSpawned = true;
        return withRanks(
            new JobEndedException(ExitStatus.TIMEOUT, "job " + id + " was ended by its timeout: limit=" + run.timeoutMillis() / 1000.0 + " s"
                + (running.isEmpty() ? "" : ", ranks still running: " + names(running))));
    }

    private static JobEndedException withRanks(final JobEndedException end) {
        end.isWithRanks = true;
        return end;
    }

    private void rankEnded(final int node, final Message.RankEnded r) throws JobEndedException {
        running.remove(r.rank());
        final JobEndedException end = end(node, r);
        if (end != null) {
            throw end;
        }
    }

    /** Returns how the end of a rank ends the job; null where the job goes on. */
    private @Nullable JobEndedException end(final int node, final Message.RankEnded r) {
        return switch (r.kind()) {
            case FAILED, PEER_FAILED, CANCELLED -> failed(node, r);
            case ABORTED -> new JobEndedException(r.status(), rank(node, r) + " called abort: status=" + r.status());
            case EXITED -> r.status() == 0 ? null
                : new JobEndedException(r.status(), rank(node, r) + " called System.exit: status=" + r.status());
            case RETURNED -> null;
        };
    }

    private JobEndedException failed(final int node, final Message.RankEnded r) {
        return new JobEndedException(Math.max(1, r.status()), rank(node, r) + " failed: " + r.text(), r.kind() == RankOutcome.Kind.PEER_FAILED);
    }

    private String rank(final int node, final Message.RankEnded r) {
        return "rank " + r.rank() + " on node " + name(node);
    }

    private String name(final int node) {
        return node >= 0 && node < nodes.size() ? nodes.get(node).name() : "?";
    }

    private static String names(final Set<Integer> ranks) {
        final String first = ranks.stream().limit(8).map(String::valueOf).collect(Collectors.joining(", "));
        return ranks.size() > 8 ? first + " and " + (ranks.size() - 8) + " more" : first;
    }

    private void finish(final JobEndedException first) {
        final String text = first.text;
        final boolean cancel = !running.isEmpty();
        JobEndedException end = first;
        for (final JobPartProxy p : parts) {
            if (!p.isEnded() && cancel) {
                p.order(Message.Verb.CANCEL, text.isEmpty() ? "the job has ended" : text.lines().findFirst().orElse(""));
            }
        }
        try {
            end = awaitSpawned(explained(awaitEnd(first)));
            output.finish(OutputRelay.finishLimitMillis());
            if (end.status == ExitStatus.OK && (hasCheckpoints || restart != null) && !CheckpointOption.keeps(run.parameters())) {
                final Message.Reply removed = checkpointsOfCluster().removeEverywhere(restart == null ? id : restart.series());
                if (removed.status() != ExitStatus.OK) {
                    LOG.warn("checkpoints of job {} are not removed: {}", id, removed.text());
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parts.forEach(JobPartProxy::release);
        TempFolders.delete(folder);
        measurements.ended();
        isEnded = true;
        // before the client knows, which may ask for it
        history.ended(JobRecord.of(info()).ended(new JobRecord.End(System.currentTimeMillis(), end.status, end.text)));
        client.post(new Message.Done(end.status, end.text));
        client.close();
    }

    /**
     * Waits until all parts have ended.
     *
     * @return the end of the job: the first one, or the error of a rank or of a part for which others had failed
     */
    private JobEndedException awaitEnd(final JobEndedException first) throws InterruptedException {
        JobEndedException end = first;
        final long limit = System.nanoTime() + END_LIMIT.toNanos();
        while (parts.stream().anyMatch(p -> !p.isEnded())) {
            switch (events.poll(limit - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                case null -> {
                    LOG.warn("job {}: parts did not end within {}", id, END_LIMIT);
                    return end;
                }
                case Event.Reported(int node, Message.RankEnded r) -> {
                    final JobEndedException own = r.kind() == RankOutcome.Kind.PEER_FAILED || r.kind() == RankOutcome.Kind.CANCELLED ? null
                        : end(node, r);
                    end = own != null && (end.isByPeer || end.lostNode == node) ? own : end;
                }
                case Event.Reported(int node, Message.Progress p) -> {
                    countSpawned(node, p);
                    if (p.phase() == Message.Phase.FAILED) {
                        final JobEndedException failed = new JobEndedException(p.status(), "node " + name(node) + ": " + p.text());
                        end = end.isByPeer || end.lostNode == node ? failed : orElse(end, failed);
                    }
                    if (p.phase() == Message.Phase.ENDED || p.phase() == Message.Phase.FAILED) {
                        partEnded(node);
                    }
                }
                case Event.PartLost g -> {
                    partEnded(g.node());
                    spawned.remove(g.node());
                }
                case Event.Reported(int node, Message.NodeLost l) -> {
                    if (end.link != null && NodeAddress.nodeOf(name(node)).equals(end.link.other())
                        && NodeAddress.nodeOf(name(l.node())).equals(end.link.node())) {
                        end.otherReason = l.reason();
                    }
                }
                case Event.EndRequested o -> endsSpawned = true;
                case Event e -> LOG.debug("job {} is ending: {}", id, e);
            }
        }
        return end;
    }

    /** Returns the end with what both nodes of a lost link know of its loss, if both are there. Blocks while the nodes are asked. */
    private JobEndedException explained(final JobEndedException end) {
        final String text = end.link == null ? null : end.link.explain(cluster, end.otherReason);
        return text == null ? end : new JobEndedException(end.status, text);
    }

    /**
     * Waits until the jobs that this one has spawned have ended; ends them first when the client or the time limit ends this one.
     *
     * @return the end of the job: the first one, or the reason why the spawned jobs were ended if it was successful
     */
    private JobEndedException awaitSpawned(final JobEndedException first) throws InterruptedException {
        JobEndedException end = first;
        boolean isOrdered = false;
        long ordered = 0;
        while (!spawned.isEmpty()) {
            if (endsSpawned && !isOrdered) {
                isOrdered = true;
                ordered = System.nanoTime();
                parts.forEach(p -> p.order(Message.Verb.END_SPAWNED, "the job that spawned it was ended"));
            }
            final long until = endsSpawned ? ordered + SPAWNED_LIMIT.toNanos() : deadline;
            final Event event = until == Long.MAX_VALUE ? events.take() : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            switch (event) {
                case null -> {
                    if (endsSpawned) {
                        LOG.warn("job {}: jobs that it has spawned did not end: limit={} s, nodes={}", id, SPAWNED_LIMIT.toSeconds(),
                            spawned.keySet().stream().map(this::name).toList());
                        return end;
                    }
                    end = orElse(end, timedOut());
                }
                case Event.EndRequested o -> {
                    endsSpawned = true;
                    end = orElse(end, new JobEndedException(o.status(), o.text()));
                }
                case Event.PartLost g -> spawned.remove(g.node());
                case Event.Reported(int node, Message.Progress p) -> countSpawned(node, p);
                case Event e -> LOG.debug("job {} waits for the jobs that it has spawned: {}", id, e);
            }
        }
        return end;
    }

    private static JobEndedException orElse(final JobEndedException first, final JobEndedException later) {
        return first.status == ExitStatus.OK ? later : first;
    }

    /** Marks the part on a node as ended. */
    private void partEnded(final int node) {
        if (node < parts.size()) {
            parts.get(node).markEnded();
        }
    }
}
