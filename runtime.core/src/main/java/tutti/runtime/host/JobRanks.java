package tutti.runtime.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.WindowTable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.checkpoint.agreement.JobCheckpoints;
import tutti.runtime.checkpoint.agreement.PointAgreement;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.comm.Rank;
import tutti.runtime.context.JobConnections;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.context.JobTermination;
import tutti.runtime.context.PeerTargets;
import tutti.runtime.context.RankLosses;
import tutti.runtime.dpm.ConnectedJobs;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.MailboxEnd;
import tutti.runtime.match.MessageCounter;
import tutti.runtime.model.Group;
import tutti.runtime.model.LossMode;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.PlanProver;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;
import tutti.runtime.select.RankNodes;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.ShmRegions;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;
import tutti.runtime.wire.JobNetwork;

/**
 * The ranks of a job on this node as MPI processes, with their mailboxes and the network to the other nodes. Safe for any thread.
 *
 * <p><b>Threads.</b> The modules are written once, before a rank calls Init; that write is volatile and publishes them. All else is final. Nothing
 * here waits.
 */
public final class JobRanks implements JobEnvironment {

    /** Ends the job at the request of a rank. */
    public interface Abort {
        /** Ends the job because {@code worldRank} called abort. Does not return on a thread of that rank. */
        void abort(int worldRank, int status);

        /**
         * Ends the job because of a fatal error that {@code worldRank} raised. Does not return on a thread of that rank.
         *
         * @param byPeer whether the error is that of another rank or node
         */
        default void fail(final int worldRank, final Throwable error, final boolean byPeer) {
            abort(worldRank, 1);
        }
    }

    private final JobSpec spec;
    private final Group world;
    private final RankNodes nodes;
    private volatile List<RankPlace> places;
    private final PeerTargets targets;
    /** The mailboxes of the ranks on this node; null for others. */
    private final @Nullable Mailbox[] mailboxes;
    private final JobNetwork network;
    private final ConnectedJobs connections;
    private final int number;
    private final List<Rank> local = new ArrayList<>();
    private final RankLosses losses = new RankLosses();
    private final ShmRegions regions = new ShmRegions();
    private final WindowTable windows = new WindowTable();
    /** Null before the nodes have agreed. */
    private volatile @Nullable LiveModules modules;
    private volatile String ownName;
    private volatile PlanProver prover = PlanProver.NONE;
    private volatile JobCheckpoints checkpoints;
    private volatile Consumer<CanaryReport> canaries = report -> {
        // nobody asked for it
    };
    private volatile Consumer<List<CallTuning>> tunings = found -> {
        // nobody keeps it
    };

    /**
     * Creates the local ranks before Init, without links to other nodes.
     *
     * @param lost  receives the index of a node and the reason when its link is lost
     * @param abort ends the job
     */
    public JobRanks(final JobSpec spec, final BiConsumer<Integer, String> lost, final Abort abort) {
        this.spec = spec;
        this.ownName = spec.nodes().get(spec.self());
        this.mailboxes = new Mailbox[spec.size()];
        final long localRanks = spec.nodeOfRank().stream().filter(node -> node == spec.self()).count();
        // ranks that share cores park soon, and leave no time to poll
        final boolean queues = localRanks > 1 && CoreOccupancy.isForEach(localRanks);
        for (int r = 0; r < mailboxes.length; r++) {
            mailboxes[r] = spec.nodeOfRank().get(r) == spec.self() ? new Mailbox(queues) : null;
        }
        this.checkpoints = new JobCheckpoints(new PointAgreement((int) localRanks), CheckpointStorage.NONE, report -> {
        });
        this.network = new JobNetwork(spec, this::mailbox, windows, lost, this::left);
        this.connections = new ConnectedJobs(spec, network, losses);
        this.number = connections.number();
        this.world = Group.first(spec.worldSize());
        this.nodes = RankNodes.of(spec.nodeOfRank());
        this.places = places(List.of());
        this.targets = PeerTargets.of(spec.size(), r -> {
            final Mailbox own = mailboxes[r];
            return own != null ? own : network.peer(nodes.nodeOf(r));
        });
        for (int r = 0; r < mailboxes.length; r++) {
            final Mailbox own = mailboxes[r];
            if (own != null) {
                local.add(new Rank(this, connections, r, own, termination(r, abort)));
            }
        }
    }

    private static JobTermination termination(final int worldRank, final Abort abort) {
        return new JobTermination() {
            @Override
            public void abort(final int status) {
                abort.abort(worldRank, status);
            }

            @Override
            public void fail(final Throwable error, final boolean byPeer) {
                abort.fail(worldRank, error, byPeer);
            }
        };
    }

    /** Returns the ranks on this node, in rising order. */
    public List<Rank> local() {
        return local;
    }

    /** Sets the modules that the nodes agreed on. Must be called before a rank calls Init. */
    public void setModules(final JobModules agreed) {
        setModules(new LiveModules(agreed, () -> {
            // nobody waits for that
        }));
    }

    /** Sets the modules as {@link #setModules(JobModules)} does, which may change later. */
    void setModules(final LiveModules agreed) {
        modules = agreed;
        connections.setModules(agreed.newest());
    }

    /**
     * Lets the ranks use the modules of a change, which all nodes have accepted.
     *
     * @return a stage that completes when it is known on all communicators from which call on
     */
    CompletionStage<Void> follow(final int change) {
        final LiveModules live = live();
        live.follow(change);
        connections.setModules(live.newest());
        return CompletableFuture.allOf(local.stream().map(r -> r.follow().toCompletableFuture()).toArray(CompletableFuture[]::new));
    }

    /** Makes the calls of local ranks fail that need failed ranks; see {@link tutti.runtime.job.LocalJob#lose}. */
    public void lose(final int[] failed, final String reason) {
        final BitSet numbers = new BitSet();
        IntStream.of(failed).forEach(numbers::set);
        // Cause: a rank, its JVM or its node has ended, or does not answer. Remedy: what the program does then; see `docs/guide/faults.md`.
        final MpiFailure why = MpiFailure.ofLoss((failed.length == 1 ? "rank " + failed[0] + " has" : "ranks " + numbers + " have")
            + " failed: " + reason);
        losses.add(numbers, why).stream().mapToObj(r -> mailboxes[r]).filter(Objects::nonNull).forEach(own -> own.submit(new MailboxEnd(why)));
        IntStream.range(0, spec.nodes().size()).filter(n -> n != spec.self() && isLost(n, numbers)).forEach(n -> network.lose(n, reason));
    }

    private boolean isLost(final int node, final BitSet numbers) {
        return IntStream.range(0, spec.size()).allMatch(r -> nodes.nodeOf(r) != node || numbers.get(r));
    }

    /** Takes a node into account that has left the job, after all its ranks have called Finalize, or have failed. */
    private void left(final int node, final String reason) {
        final LiveModules agreed = modules;
        if (agreed != null && LossMode.of(agreed.newest().parameters()) == LossMode.REPORT) {
            lose(IntStream.range(0, spec.size()).filter(r -> nodes.nodeOf(r) == node).toArray(), "node " + spec.nodes().get(node) + ": " + reason);
        }
    }

    /** Sets what the daemon does for the ranks. Must be called before a rank calls Init. */
    public void serve(final JobServices services) {
        connections.serve(services);
        places = places(services.localities());
        prover = services.prover();
        checkpoints = new JobCheckpoints(checkpoints.points(), services.checkpoints(), services.ranks()::checkpointed);
    }

    private List<RankPlace> places(final List<NodeLocality> localities) {
        return RankPlace.ofRanks(spec.nodes().stream().map(NodeAddress::nodeOf).toList(), spec.nodeOfRank(), localities);
    }

    /** Returns the identity by which other jobs know this one. */
    public String identity() {
        return connections.identity();
    }

    /** Connects to the other nodes; see {@link tutti.runtime.job.LocalJob#connect}. */
    public CompletionStage<Void> connect(final Map<String, Transport> transports, final List<NodeEndpoints> nodes) {
        return network.connect(transports, nodes);
    }

    /** Sets the name of this node, where it is that of a spare rank: the specification may have another one. */
    public void setNode(final String name) {
        ownName = name;
    }

    /** Opens the links of the node of a spare rank; see {@link tutti.runtime.job.LocalJob#start(Replacement, List)}. */
    public CompletionStage<Void> link(final List<NodeEndpoints> nodes) {
        return network.link(nodes);
    }

    /** Accepts the link of another node of the job, or of another job. */
    public LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        return hello.purpose().equals(JobHost.PURPOSE) ? network.accept(link, hello) : connections.accept(link, hello);
    }

    /** Closes the links to the other nodes after pending messages are sent. */
    public void leave() {
        connections.leave();
        network.leave();
    }

    /** Ends the waits for links of other jobs. Called after {@link #leave}, when {@link #accept} is not called any more. */
    public void expectNoLinks() {
        connections.expectNoLinks();
    }

    /** Returns the numbers of messages of the local ranks. */
    MessageStatistics messages() {
        MessageStatistics sum = network.sent().plus(connections.sent());
        for (final Rank rank : local) {
            final MessageCounter received = Objects.requireNonNull(mailboxes[rank.worldRank()], "mailbox of a local rank").received();
            sum = sum.plus(new MessageStatistics(received.messages(), received.bytes(), 0, 0));
        }
        return sum;
    }

    private @Nullable Mailbox mailbox(final int worldRank) {
        return worldRank < 0 || worldRank >= mailboxes.length ? null : mailboxes[worldRank];
    }

    @Override
    public JobSpec spec() {
        return spec;
    }

    @Override
    public String jobId() {
        return spec.id();
    }

    @Override
    public @Nullable String parent() {
        return spec.parent();
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int programOf(final int worldRank) {
        return spec.programIndexOf(worldRank);
    }

    @Override
    public int size() {
        return spec.size();
    }

    @Override
    public Group world() {
        return world;
    }

    @Override
    public PeerTargets worldTargets() {
        return targets;
    }

    @Override
    public int nodeOf(final int worldRank) {
        return worldRank < nodes.size() ? nodes.nodeOf(worldRank) : connections.nodeOf(worldRank);
    }

    @Override
    public RankPlace placeOf(final int worldRank) {
        return worldRank < nodes.size() ? places.get(worldRank) : connections.placeOf(worldRank);
    }

    @Override
    public String nodeName(final int worldRank) {
        if (worldRank >= nodes.size()) {
            return connections.nodeName(worldRank);
        }
        return nodes.nodeOf(worldRank) == spec.self() ? ownName : spec.nodes().get(nodes.nodeOf(worldRank));
    }

    @Override
    public LiveModules live() {
        return Objects.requireNonNull(modules, "modules, before the nodes have agreed");
    }

    /** Sets what receives the reports of trials; it must not block. */
    public void reportCanariesTo(final Consumer<CanaryReport> listener) {
        canaries = listener;
    }

    @Override
    public void canary(final CanaryReport report) {
        canaries.accept(report);
    }

    /** Sets what receives the findings of tuning on live calls; it must not block. */
    public void reportTuningTo(final Consumer<List<CallTuning>> listener) {
        tunings = listener;
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        tunings.accept(found);
    }

    @Override
    public PlanProver prover() {
        return prover;
    }

    @Override
    public RankLosses losses() {
        return losses;
    }

    @Override
    public JobCheckpoints checkpoints() {
        return checkpoints;
    }

    @Override
    public JobConnections connections() {
        return connections;
    }

    @Override
    public WindowTable windows() {
        return windows;
    }

    @Override
    public ShmRegions regions() {
        return regions;
    }

    @Override
    public MessagePolling polling() {
        return network.polling();
    }

    @Override
    public @Nullable String linksBetween(final IntStream worldRanks) {
        final int[] all = worldRanks.toArray();
        return Arrays.stream(all).allMatch(r -> r < nodes.size()) ? network.linksBetween(Arrays.stream(all).map(nodes::nodeOf).distinct().sorted())
            : null;
    }

    @Override
    public SerialExecutor target(final int worldRank) {
        return worldRank < targets.size() ? targets.of(worldRank) : connections.target(worldRank);
    }
}
