package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.proofs.JobProofs;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.PlanProver;

/** The parts of jobs on this node: makes them, and gives them what the node has. Safe for any thread. */
public final class NodeParts implements PartSupport {
    private final NodeSettings settings;
    private final JobHost host;
    private final JobTransports transports;
    private final JvmPool jvms;
    private final PartServices.Node node;
    private final NodeCheckpoints checkpoints;
    private final ModuleStore store;
    private final NodeProofs proofs;
    private final Jobs jobs;
    private final AtomicInteger numbers = new AtomicInteger();

    /** The jobs that this node coordinates, for the parts of jobs on it. */
    public interface Jobs extends JobSpawner {
        /** Throws when this node takes no more parts of jobs that other nodes coordinate; the message says why. */
        void checkRoom() throws IOException;
    }

    /** Creates a node without parts. */
    public NodeParts(final NodeSettings settings, final JobHost host, final JobTransports transports, final JvmPool jvms,
        final PartServices.Node node,
        final NodeCheckpoints checkpoints, final ModuleStore store, final NodeProofs proofs, final Jobs jobs) {
        this.settings = settings;
        this.host = host;
        this.transports = transports;
        this.jvms = jvms;
        this.node = node;
        this.checkpoints = checkpoints;
        this.store = store;
        this.proofs = proofs;
        this.jobs = jobs;
    }

    /** Throws when this node takes no more parts of jobs that other nodes coordinate; the message says why. */
    void checkRoom() throws IOException {
        jobs.checkRoom();
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

    JvmPool jvms() {
        return jvms;
    }

    JobTransports transports() {
        return transports;
    }

    /** Returns the number of cores of all nodes of the cluster. */
    int places() {
        return node.places();
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
        return new PartServices(node, part.spec(), part.owner(), job,
            new JobProofs(proofs, store.quarantine(), store::isAdded, part::wrong), kept == null ? CheckpointStorage.NONE : kept, part.listener(),
            part.spawned());
    }

    /** Returns what this node does for the ranks of a part in a job JVM, which proves its schedules by itself. */
    PartServices services(final PartListener listener, final SpawnedJobs spawned, final JobSpec spec, final @Nullable String owner,
        final AgreedJob job, final @Nullable JobCheckpoints kept) {
        return new PartServices(node, spec, owner, job, PlanProver.NONE, kept == null ? CheckpointStorage.NONE : kept, listener, spawned);
    }

    @Override
    public void ended(final JobServices services) {
        if (services instanceof final PartServices here) {
            here.close();
        }
    }

    @Override
    public JobSpawner spawner() {
        return jobs;
    }
}
