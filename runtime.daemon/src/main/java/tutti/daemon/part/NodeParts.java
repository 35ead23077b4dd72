package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.ProofCounts;
import tutti.daemon.proofs.JobProofs;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.RankServices;
import tutti.runtime.transport.Transport;

/** The parts of jobs on this node: makes them, and gives them what the node has. Safe for any thread. */
@Component(service = NodeParts.class)
public final class NodeParts implements PartSupport {
    private final BundleContext context;
    private final NodeSettings settings;
    private final JobHost host;
    private final JobTransports transports;
    private final JvmPool jvms;
    private final ModuleStore store;
    private final Transport transport;
    private final PublishedNames names;
    private final Cluster cluster;
    private final NodeCheckpoints checkpoints;
    private final NodeProofs proofs = new NodeProofs();
    private final AtomicInteger numbers = new AtomicInteger();

    /** The jobs that this node coordinates, for the parts of jobs on it. A service of the node, which starts after its parts. */
    public interface Jobs extends JobSpawner {
        /** Throws when this node takes no more parts of jobs that other nodes coordinate; the message says why. */
        void checkRoom() throws IOException;
    }

    /** Creates a node without parts. */
    @Activate
    public NodeParts(final BundleContext context, @Reference(name = "node") final ListeningNode node,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "host") final JobHost host,
        @Reference(name = "transports") final JobTransports transports, @Reference(name = "jvms") final JvmPool jvms,
        @Reference(name = "names") final PublishedNames names, @Reference(name = "store") final ModuleStore store) {
        this.context = context;
        this.settings = node.settings();
        this.host = host;
        this.transports = transports;
        this.jvms = jvms;
        this.store = store;
        this.transport = node.data();
        this.names = names;
        this.cluster = cluster;
        this.checkpoints = new NodeCheckpoints(node.name(), settings.folder(), node.control(), cluster::nodes);
    }

    /** Returns the jobs of this node. */
    private Jobs jobs() throws IOException {
        final ServiceReference<Jobs> found = context.getServiceReference(Jobs.class);
        final Jobs jobs = found == null ? null : context.getService(found);
        if (jobs == null) {
            throw new IOException("node " + settings.name() + " is stopping");
        }
        return jobs;
    }

    /** Throws when this node takes no more parts of jobs that other nodes coordinate; the message says why. */
    void checkRoom() throws IOException {
        jobs().checkRoom();
    }

    /** Returns a new folder for a part; no peer chooses its name. */
    public Path newFolder() {
        return settings.folder().resolve("part-" + numbers.incrementAndGet());
    }

    /**
     * Makes the part of a place of a job: a node for one run has the ranks in its own JVM, unless they are to have several.
     *
     * @param folder folder of its program, which is deleted at the end
     */
    public PreparablePart create(final PartListener listener, final String place, final Path folder) {
        final PartOutput output = new PartOutput();
        return settings.oneRun() && !NodeAddress.isJvm(place) ? new LocalPart(listener, output, this, host, transports, folder)
            : new JvmPart(listener, output, this, folder);
    }

    /** Returns the checkpoints that this node keeps. */
    public NodeCheckpoints checkpoints() {
        return checkpoints;
    }

    /** Returns the number of ranks that run. */
    public int running() {
        return host.running() + jvms.running();
    }

    /** Returns the numbers of schedules of this JVM, and of parts in others that have ended. */
    public CacheStatistics schedules() {
        return host.schedules().plus(jvms.schedules());
    }

    /** Returns the numbers of proofs of this JVM, and of parts in others that have ended. */
    public ProofCounts proofs() {
        return proofs.counts().plus(jvms.proofs());
    }

    /** Returns the numbers of messages of this JVM, and of parts in others that have ended. */
    public MessageStatistics messages() {
        return host.messages().plus(jvms.messages());
    }

    /** Makes JVMs ready for jobs; returns at once. Called when the node has started, which has the cores until then. */
    public void open() {
        jvms.open();
    }

    JvmPool jvms() {
        return jvms;
    }

    JobTransports transports() {
        return transports;
    }

    /** Returns the number of cores of all nodes of the cluster. */
    int places() {
        return cluster.nodes().stream().mapToInt(NodeInfo::cores).sum();
    }

    @Override
    public List<String> switches() {
        return settings.switches();
    }

    @Override
    public int maxRanks() {
        return settings.limits().ranks();
    }

    @Override
    public JobCheckpoints openCheckpoints(final JobSpec spec, final @Nullable Restart restart) throws IOException {
        // several JVMs of a node keep their checkpoints there together
        final List<String> nodes = spec.nodes().stream().map(NodeAddress::nodeOf).distinct().toList();
        return checkpoints.open(restart == null ? spec.id() : restart.series(), spec.id(), nodes,
            nodes.indexOf(NodeAddress.nodeOf(spec.nodes().get(spec.self()))), RanksPerJvm.ranks(spec), restart);
    }

    @Override
    public JobServices services(final LocalPart part, final AgreedJob job) {
        final JobCheckpoints kept = part.checkpoints();
        return new JobServices(ranks(part, job), part.transports(transport), job.reached(), job.localities(), places(),
            new JobProofs(proofs, store.quarantine(), store::isAdded, part::wrong), kept == null ? CheckpointStorage.NONE : kept);
    }

    /** Returns what this node does for the ranks of a part. */
    RankServices ranks(final PreparablePart part, final AgreedJob job) {
        return new PartServices(part, names, job.agreement());
    }

    @Override
    public void ended(final JobPart part) {
        names.release(part);
    }

    @Override
    public JobSpawner spawner() {
        return (request, parent, owner, agreement, client) -> jobs().spawn(request, parent, owner, agreement, client);
    }
}
