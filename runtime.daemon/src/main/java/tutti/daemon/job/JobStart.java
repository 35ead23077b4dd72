package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.Preparation;
import tutti.daemon.part.PreparedPart;
import tutti.daemon.part.RanksPerJvm;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.policy.LinkSpeed;

/**
 * Start of a job: receives the program, places the ranks, has the parts prepared, resolves the agreement on modules, and connects the parts. For the
 * coordinator's thread.
 */
final class JobStart {
    private static final Logger LOG = LoggerFactory.getLogger(JobStart.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KEY_BYTES = 32;

    private final String id;
    private final JobPlan plan;
    private final RunRequest run;
    private final JobSite site;
    private final JobParts parts;
    private final Path folder;
    /** The thread that writes the files; null before it starts. */
    private @Nullable Thread receiving;
    /** The orders of the parts, by their nodes; null before they are placed. */
    private @Nullable IntFunction<Preparation> orders;
    private List<Path> files = List.of();
    /** Class of the links between the nodes, which is measured while these prepare. */
    private CompletableFuture<LinkSpeed> linkSpeed = CompletableFuture.completedFuture(LinkSpeed.FAST);

    /** Creates the start of a job, whose files go to a folder. */
    JobStart(final String id, final JobPlan plan, final JobSite site, final JobParts parts, final Path folder) {
        this.id = id;
        this.plan = plan;
        this.run = plan.run();
        this.site = site;
        this.parts = parts;
        this.folder = folder;
    }

    /** Receives the files of the program; returns where they are. */
    List<Path> receive(final InputStream program) throws InterruptedException, JobEndedException {
        receiving = Thread.ofVirtual().name("tutti-" + id + "-program").start(() -> {
            try {
                parts.add(new JobEvent.Received(ProgramFiles.store(run.files(), program, folder.resolve("program"))));
            } catch (final IOException e) {
                parts.add(new JobEvent.NotReceived(e));
            }
        });
        while (true) {
            if (parts.next(Long.MAX_VALUE) instanceof JobEvent.Received(List<Path> files)) {
                return files;
            }
        }
    }

    /** Waits until no more files are written, which is soon when the program is closed. */
    void awaitReceived() throws InterruptedException {
        if (receiving != null) {
            receiving.join();
        }
    }

    /** Returns the checkpoint from which the job continues; null if it begins anew. Blocks. */
    @Nullable
    Restart restart() throws IOException, JobEndedException {
        final Restart restart = run.restart() == null ? null : site.checkpoints().restart(run.restart());
        if (restart != null && run.ranks() != 0 && run.ranks() != restart.ranks()) {
            // Cause: a job continues with as many ranks as it was saved with.
            throw new JobEndedException(ExitStatus.FAILED, "checkpoint " + restart.series() + "/" + restart.number() + " is one of " + restart.ranks()
                + " ranks, and the job has " + run.ranks() + ": start it with -n " + restart.ranks());
        }
        return restart;
    }

    /** Places the ranks, and begins to prepare the parts on their nodes. */
    void prepare(final List<Path> received, final @Nullable Restart restart, final JobClient client, final CoordinatedPart.Coordinator coordinator)
        throws IOException, JobEndedException {
        final List<NodeInfo> members = site.cluster().nodes();
        final JobPlan.PlacedRanks placed = plan.placer().place(members, restart == null ? run.ranks() : restart.ranks());
        final Placement placement = placed.placement().perJvm(RanksPerJvm.of(run.parameters()))
            .withSpares(LossMode.spares(run.parameters()), members.stream().filter(m -> run.nodes().isEmpty() || run.nodes().contains(m.name()))
                .sorted(Comparator.comparing(NodeInfo::name)).map(m -> new NodeAddress(m.name(), m.host(), m.port())).toList());
        parts.place(placement, placed.placement().nodeOfRank().size(), members);
        if (run.placed()) {
            client.placed(new RankPlacement(placed.placement().nodes().stream().map(NodeAddress::name).toList(), placed.placement().nodeOfRank()));
        }
        if (!run.parameters().containsKey(LinkSpeed.PARAMETER)) {
            linkSpeed = CompletableFuture.supplyAsync(() -> site.cluster().links().between(parts.processes().stream().distinct().toList()),
                task -> Thread.ofVirtual().name("tutti-" + id + "-links").start(task));
        }
        final byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        // a value that is not valid is refused later; a spare rank runs the program of all others
        final boolean mayGrow = placed.programs().size() == 1 && LossMode.REPORT.toString().equals(run.parameters().get(LossMode.PARAMETER));
        final List<String> later = mayGrow ? JobReplacements.LATER : List.of();
        final List<String> names = Stream.concat(parts.nodes().stream().map(NodeAddress::name), later.stream()).toList();
        final List<Integer> nodeOfRank = Stream.concat(placement.nodeOfRank().stream(),
            IntStream.range(parts.nodes().size(), names.size()).boxed()).toList();
        final JobPlan.Parent parent = plan.parent();
        final int others = parts.nodes().size() - LossMode.spares(run.parameters());
        files = received;
        orders = node -> new Preparation(id, key, JobTransports.schemes(run.parameters()), names, nodeOfRank, node, placed.programs(), run.files(),
            parent == null ? null : parent.port(), run.environment(), node < others ? restart : null, plan.owner(),
            parent == null ? null : parent.job());
        for (int node = 0; node < parts.nodes().size(); node++) {
            parts.add(begin(node, parts.nodes().get(node), coordinator));
        }
        parts.replacements().begin(later, site.cluster(), (node, on) -> begin(node, on, coordinator));
    }

    /** Begins to prepare a part. */
    private CoordinatedPart begin(final int index, final NodeAddress node, final CoordinatedPart.Coordinator coordinator) throws JobEndedException {
        final Preparation order = Objects.requireNonNull(orders, "the ranks are placed").apply(index);
        final NodeInfo self = site.cluster().self();
        if (node.node().equals(self.name())) {
            return CoordinatedPart.here(coordinator, order, node.name(), files, site.parts(), folder.resolve("part-" + order.self()));
        }
        try {
            return CoordinatedPart.there(coordinator, order, files, node, self, site.transports().control());
        } catch (final IOException e) {
            // Cause: its process or host has ended, or the network is cut. Remedy: look at it.
            throw new JobEndedException(ExitStatus.NO_CLUSTER, "node " + node + " cannot be reached: " + Protocol.oneLine(e));
        }
    }

    /** Resolves the agreement on modules when all parts are prepared, and connects them to each other; returns the agreement. */
    AgreedModules connect() throws InterruptedException, JobEndedException {
        final Map<String, PreparedPart> prepared = new LinkedHashMap<>();
        final Set<Integer> missing = all();
        while (!missing.isEmpty()) {
            if (next("prepared", missing) instanceof JobEvent.Prepared(int node, PreparedPart part)) {
                prepared.put(parts.name(node), part);
                missing.remove(node);
            }
        }
        final Map<String, Catalogue> catalogues = new LinkedHashMap<>();
        parts.nodes().forEach(n -> catalogues.put(n.name(), of(prepared, n.name()).catalogue()));
        final AgreedModules agreement;
        try {
            agreement = site.resolver().resolve(catalogues, run.parameters(), run.rules(), site.tuning().of(parts.ranks(), catalogues.size()))
                .with(linkSpeed.join()).later(parts.replacements().later());
            TransportAgreement.check(run.parameters(), prepared);
        } catch (final JobAgreementResolver.JobRefusedException e) {
            throw new JobEndedException(e.status(), String.valueOf(e.getMessage()));
        }
        if (LossMode.spares(agreement.parameters()) > 0 && LossMode.of(agreement.parameters()) != LossMode.REPORT) {
            // Cause: in a job that ends with the first rank that it loses, no other rank takes its place. Remedy: `--on-loss=report`, too.
            throw new JobEndedException(ExitStatus.USAGE, "spare ranks are for a job that goes on when ranks fail: give --on-loss=report, too, or no "
                + "--spares");
        }
        final BindingMode.Unit bound = BindingMode.of(agreement.parameters()).unit();
        final AgreedJob job = parts.replacements().agreed(
            new AgreedJob(agreement, parts.nodes().stream().map(n -> new NodeEndpoints(n.name(), of(prepared, n.name()).endpoints())).toList(),
                parts.nodes().stream().map(n -> of(prepared, n.name()).locality().bound(bound)).toList(),
                parts.nodes().stream().map(n -> reached(n, of(prepared, n.name()).ports())).toList()));
        parts.all().forEach(p -> p.connect(job));
        missing.addAll(all());
        while (!missing.isEmpty()) {
            if (next("connected", missing) instanceof JobEvent.Connected(int node)) {
                missing.remove(node);
            }
        }
        return agreement;
    }

    private Set<Integer> all() {
        return IntStream.range(0, parts.nodes().size()).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    private static PreparedPart of(final Map<String, PreparedPart> prepared, final String node) {
        return Objects.requireNonNull(prepared.get(node), "every node is prepared");
    }

    /** Returns where other jobs reach the ranks on a node. */
    private static NodeAddress reached(final NodeAddress daemon, final @Nullable HostPort ports) {
        return ports == null ? daemon : new NodeAddress(daemon.name(), ports.host(), ports.port());
    }

    /** Returns the next event; says which nodes it waits for while none comes. That they live is what their links and the membership tell. */
    private JobEvent next(final String phase, final Set<Integer> missing) throws InterruptedException, JobEndedException {
        final LiveWait wait = new LiveWait("job " + id + " waits for nodes to be " + phase + ": nodes=" + missing.stream().map(parts::name).toList(),
            () -> true, LOG::info);
        while (true) {
            final JobEvent event = parts.next(System.nanoTime() + LiveWait.PERIOD.toNanos());
            if (event != null) {
                return event;
            }
            wait.goesOn();
        }
    }
}
