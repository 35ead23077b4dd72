package tutti.daemon.control;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;

/** Part of a job on a node, in the JVM of a node for one run or in a job JVM: carries out the coordinator's orders. Safe for any thread. */
interface NodePart {

    /**
     * Prepares the ranks, and a listener for the links from the job's other nodes. Blocks.
     *
     * @param prepare the order of the coordinator; the node need not have its transport
     */
    void prepare(JobSpec spec, Message.Prepare prepare, JobHost host, JobTransports transports);

    /** Ends the part and reports that it could not be prepared. */
    void failed(Throwable cause);

    /** Applies the agreement of the nodes, and connects to the other parts. */
    void connect(Message.Connect with);

    /** Carries out an order. */
    void order(Message.Order order);

    /** Reports what the ranks do. */
    void inspect(Message.Inspect question);

    /** Tells the ranks at which point they save their states, or reports the last one that they have reached. */
    void order(Message.PointOrder order);

    /** Reports what became of a checkpoint. */
    void checkpointed(CheckpointReport report);

    /** Passes standard input to rank 0, which requested it. */
    void input(byte[] bytes);

    /** Returns whether jobs run that this part has spawned. */
    boolean hasSpawned();

    /**
     * Starts a job for a rank. Blocks.
     *
     * @param ended completed when the job has ended; ends the job when the rank cancels it
     */
    void spawn(SpawnRequest request, CompletableFuture<String> ended) throws IOException;
}
