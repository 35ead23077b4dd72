package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.daemon.proofs.JobProofs;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/**
 * The services of a node for the parts of jobs that communicate with other jobs.
 *
 * @param transport the node's own transport, with TLS where the cluster has certificates
 * @param names     names of ports
 * @param launcher  starts jobs that this node coordinates; null in a job JVM, whose node starts them
 * @param places    returns the number of cores of all nodes of the cluster
 * @param free      returns the number of free places of each node, by name; may block
 * @param folders   returns a new folder for files
 * @param maxRanks  most ranks of one job on the node
 * @param prover    creates the proofs of a part, which are given what ends it
 * @param api       returns the jars that programs are compiled against
 * @param checkpoints checkpoints of the cluster; null in a job JVM, whose node has them
 * @param parts     creates parts of jobs
 * @param services  creates what parts do for their ranks
 */
record PartSupport(Transport transport, PublishedNames names, @Nullable Launcher launcher, IntSupplier places,
    Supplier<Map<String, Integer>> free, Supplier<Path> folders, int maxRanks, Function<Consumer<String>, JobProofs> prover,
    Supplier<List<Path>> api, @Nullable ClusterCheckpoints checkpoints, Parts parts, Services services) {

    /** Creates the services of a node whose parts run in its JVM. */
    PartSupport(final Transport transport, final PublishedNames names, final @Nullable Launcher launcher, final IntSupplier places,
        final Supplier<Map<String, Integer>> free, final Supplier<Path> folders, final int maxRanks,
        final Function<Consumer<String>, JobProofs> prover, final Supplier<List<Path>> api, final @Nullable ClusterCheckpoints checkpoints) {
        this(transport, names, launcher, places, free, folders, maxRanks, prover, api, checkpoints,
            (listener, support, folder, place) -> new JobPart(listener, support, folder), PartServices::new);
    }

    /** Creates parts of jobs. */
    @FunctionalInterface
    interface Parts {
        /** Returns the part of a place, whose program is in {@code folder}, which is deleted at the end. */
        NodePart create(JobPartListener listener, PartSupport support, Path folder, String place);
    }

    /** Creates what a part does for its ranks. */
    @FunctionalInterface
    interface Services {
        /** Returns the services of a part, which owns the names that its ranks publish. */
        JobServices create(PartSupport support, List<NodeAddress> nodes, PlanProver prover, CheckpointStorage checkpoints, NodePart owner);
    }

    /** Starts jobs. */
    @FunctionalInterface
    interface Launcher {
        /** Starts a job; {@code made} receives its coordinator before it starts. Throws when the node has as many jobs as it may have. */
        void launch(JobPlan plan, JobClient client, Consumer<JobCoordinator> made) throws IOException;
    }
}
