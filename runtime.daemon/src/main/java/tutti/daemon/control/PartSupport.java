package tutti.daemon.control;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import tutti.daemon.modules.JobProofs;
import tutti.runtime.transport.Transport;

/**
 * The services of a node for the parts of jobs that communicate with other jobs.
 *
 * @param transport the node's own transport
 * @param names     names of ports
 * @param launcher  starts jobs that this node coordinates
 * @param places    returns the number of cores of all nodes of the cluster
 * @param free      returns the number of free places of each node, by name; may block
 * @param folders   returns a new folder for files
 * @param maxRanks  most ranks of one job on the node
 * @param prover    creates the proofs of a part, which are given what ends it
 * @param api       returns the jars that programs are compiled against
 */
record PartSupport(Transport transport, PublishedNames names, Launcher launcher, IntSupplier places,
    Supplier<Map<String, Integer>> free, Supplier<Path> folders, int maxRanks, Function<Consumer<String>, JobProofs> prover,
    Supplier<List<Path>> api) {

    /** Starts jobs. */
    @FunctionalInterface
    interface Launcher {
        /** Starts a job; {@code made} receives its coordinator before it starts. */
        void launch(JobPlan plan, JobClient client, Consumer<JobCoordinator> made);
    }
}
