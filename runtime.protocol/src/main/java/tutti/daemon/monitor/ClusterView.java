package tutti.daemon.monitor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;

/**
 * A node's view of its cluster, for the bundle of the live page in the node's container. A container's node is a service of this type, as it is one
 * of type {@link NodeMonitor}. Whoever calls checks first what the user may do. Safe for any thread.
 */
public interface ClusterView extends NodeMonitor {

    /** Returns the name of this node. */
    String name();

    /** Returns the nodes that this one has seen lost and not come back, in the order of their names. */
    List<LostNode> lost();

    /** Returns what the ranks of a job do, whichever node coordinates it; null when there is no such job. Blocks. */
    @Nullable
    JobActivity ranks(String job);

    /** Returns which measurements of a job are kept, whichever node coordinated it; null when no node knows the job. Blocks. */
    @Nullable
    JobMeasurements measurements(String job) throws IOException;

    /**
     * Reads a measurement that {@link #measurements} lists as kept. Blocks.
     *
     * @param of   the job's measurements
     * @param name name of the measurement
     * @param to   receives its bytes in chunks, each of which has whole pieces of a trace
     * @return whether it was read to its end; it may have been dropped meanwhile, or its node may be gone
     * @throws IOException that of the receiver
     */
    boolean read(JobMeasurements of, String name, ChunkReceiver to) throws IOException;

    /** Receives bytes in their order. */
    @FunctionalInterface
    interface ChunkReceiver {
        /** Receives bytes, and owns the array. */
        void receive(byte[] bytes) throws IOException;
    }

    /**
     * Runs a program that every node has, and returns what it prints. Blocks.
     *
     * @param mainClass class of the program, in bundle {@code mpi.api}
     * @param args      its arguments
     * @param ranks     number of ranks; 0 for one per core
     * @param user      name of who wants it, as {@code tutti ps} shows it
     * @throws IOException with one line that says why the job failed
     */
    byte[] output(String mainClass, List<String> args, int ranks, String user) throws IOException, InterruptedException;

    /**
     * Changes the cluster's modules. Blocks.
     *
     * @param force whether the change is made in a part of the cluster that is no majority
     * @param file  bundle of a module; null for changes without one
     * @return what was done, or why nothing was
     */
    Reply change(ModuleChange change, boolean force, @Nullable Path file) throws InterruptedException;

    /** Returns the role that a token of the live page stands for; null for another text. */
    @Nullable
    Role pageRole(String token);
}
