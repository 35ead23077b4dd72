package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;

/**
 * The part of a job on one node, as the job's coordinator uses it: in the coordinator's JVM, at the other end of a link, or in a job JVM. It is
 * prepared, connected and started in this order, and can be cancelled at any time. Calls fail with a status and a text for the user; a part that
 * failed to prepare or to connect has ended. Safe for any thread.
 */
public interface JobPart {

    /** Applies the agreement of the nodes, and connects to the other parts; completes when all links are open. */
    CompletionStage<Void> connect(AgreedJob job);

    /** Starts the ranks. Called when all parts are connected. */
    void start();

    /**
     * Starts the rank of the part, a spare one, in the place of a rank that has failed: in the place of {@link #start}. Completes when its links are
     * open.
     *
     * @param linked nodes of the job: those with ranks that run, and its own, with endpoints, the others without
     */
    CompletionStage<Void> startSpare(Replacement place, List<NodeEndpoints> linked);

    /** Ends the ranks, and the part with them. Idempotent. */
    void cancel(String reason);

    /**
     * Tells the ranks that ranks of the job have failed, and will send nothing any more: the job goes on without them. Has no effect on a part that
     * is not prepared, or has ended.
     *
     * @param ranks  ranks in COMM_WORLD, of any part
     * @param reason how they failed, for the messages of the calls that need them
     */
    void lose(List<Integer> ranks, String reason);

    /** Ends the jobs that the part has spawned, and those that it spawns later. */
    void endSpawned(String reason);

    /**
     * Returns what the ranks do.
     *
     * @param waitedMillis if no rank has been waiting for that long, nothing is returned; 0 to return the states in any case
     */
    CompletionStage<List<RankState>> inspect(long waitedMillis);

    /**
     * Makes ranks that reach a later point of the program than any so far wait there, until {@link #checkpointAt}; returns the number of the last
     * point that a rank has reached.
     */
    CompletionStage<Long> lastPoint();

    /** Tells the ranks the point at which they save their states. */
    void checkpointAt(long point);

    /**
     * Leases the modules that the node offers now, for a change of the job's modules while it runs; returns their catalogue.
     *
     * @param change number of the change, from 1; a later change has a higher one
     */
    CompletionStage<Catalogue> lease(int change);

    /** Accepts the modules of a change that the nodes of the job agreed on. The ranks do not use them yet. */
    CompletionStage<Void> agree(int change, AgreedModules agreement);

    /** Lets the ranks use the modules of a change, which all parts have accepted; completes when they do on all their communicators. */
    CompletionStage<Void> change(int change);

    /** Releases what was leased for a change that not all parts have accepted. */
    void abandon(int change);
}
