package tutti.runtime.job;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ProviderType;
import tutti.runtime.inspect.RankState;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.transport.Transport;

/** The part of a job that runs on this node. Safe for any thread. */
@ProviderType
public interface LocalJob {

    /** Returns the specification of the job. */
    JobSpec spec();

    /**
     * Returns the modules that this node offers the job. The node keeps them installed until {@link #connect} names those that the job uses.
     */
    Catalogue catalogue();

    /** Returns the processors that the local ranks may use. The switches of the node are not known here. */
    NodeLocality locality();

    /**
     * Accepts the modules that the job's nodes agreed on, and connects to the other nodes. The stage completes when all links are open. It
     * completes exceptionally with a message that names the node that could not be reached, or the module that is no longer available.
     *
     * @param transports create the links to the other nodes, by scheme: of two nodes, the first one that both have and that reaches the other
     * @param nodes      the job's nodes, in the order of the specification, with the endpoints of their listeners. The node of a spare rank
     *                   connects to none, and none connects to it
     */
    CompletionStage<Void> connect(AgreedModules agreement, Map<String, Transport> transports, List<NodeEndpoints> nodes);

    /** Sets what the daemon provides for the local ranks. Must be called before {@link #start}. */
    void serve(JobServices services);

    /** Starts the local ranks. Must be called after {@link #connect} is complete on every node. */
    void start();

    /**
     * Starts the local rank, a spare one, in the place of a rank that has failed: in the place of {@link #start}. The stage completes when the rank
     * starts; it completes exceptionally with a message that names the node that could not be reached.
     *
     * @param linked the job's nodes, in the order of the specification: those with ranks that run, to which this one opens links, with the endpoints
     *               of their listeners, and itself; the others without endpoints
     * @throws IllegalArgumentException when this is no part of that rank, or it was started before
     */
    CompletionStage<Void> start(Replacement place, List<NodeEndpoints> linked);

    /**
     * Passes standard input to rank 0, which is local and asked for it.
     *
     * @param bytes the next bytes; the job owns the array. An empty array is the end of the input
     */
    void input(byte[] bytes);

    /**
     * Ends the local ranks in any state, and releases all resources of the job. Ranks blocked in MPI or in an interruptible call end at once;
     * threads of ranks that go on are left to the end of the JVM. Idempotent; returns at once.
     *
     * @param reason reason for the messages of the ranks
     */
    void cancel(String reason);

    /**
     * Tells the local ranks that ranks of the job have failed, and will send nothing any more. For a job that goes on without them; returns at
     * once. Ranks that have been told of are ignored.
     *
     * @param failed ranks in COMM_WORLD
     * @param reason how they failed, for the messages of the calls that need them
     */
    void lose(int[] failed, String reason);

    /**
     * Returns what the local ranks do. Waits for a short time at the most.
     *
     * @param waitedMillis if no rank has been waiting for that long, nothing is returned; 0 to return the states in any case
     */
    List<RankState> inspect(long waitedMillis);

    /**
     * Makes ranks that reach a later point of the program than any so far wait there, until {@link #checkpointAt}.
     *
     * @return the number of the last point that a rank on this node has reached
     */
    long lastPoint();

    /** Tells the ranks the number of the point at which they save their states, which is later than the last one; 0 if they do not. */
    void checkpointAt(long point);

    /**
     * Leases the modules that this node offers now, for a change of the job's modules while it runs; returns their catalogue. The node keeps them
     * installed until {@link #agree} names those that the job uses, or {@link #abandon}.
     *
     * @param change number of the change, from 1; a later change has a higher one
     */
    Catalogue lease(int change);

    /**
     * Accepts the modules of a change that the job's nodes agreed on; ranks do not use them before {@link #change}.
     *
     * @throws IOException when a module is no longer available; the message names it
     */
    void agree(int change, AgreedModules agreement) throws IOException;

    /**
     * Lets the ranks use the modules of a change in place of earlier ones: on each communicator from a collective call on that its ranks agree on
     * while they go on. All nodes of the job must have {@linkplain #agree accepted} the change. The stage completes, never exceptionally, when this
     * call is known on all communicators that local ranks have now, or that they have freed.
     */
    CompletionStage<Void> change(int change);

    /** Releases what was leased for a change that not all nodes have accepted. */
    void abandon(int change);

    /**
     * Returns a stage that completes, never exceptionally, when all ranks of the job have ended here and its links and modules are released.
     */
    CompletionStage<Void> ended();
}
