package tutti.daemon.monitor;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/**
 * Requests of a command to a node, about it and its cluster, in a {@link Conversation}. A request that is refused fails with a
 * {@link CallFailedException}, whose text and status are those of the command. Texts that requests return are for the user, and may be empty.
 */
public interface ClusterRequests {

    /** Returns the reports of all nodes, in the order of their names; nodes that do not answer within 10 s are missing. */
    @Needs(Role.OBSERVE)
    CompletionStage<List<NodeReport>> nodes();

    /** Returns what each node finds when it examines itself. */
    @Needs(Role.OBSERVE)
    CompletionStage<ClusterHealth> examine();

    /** Returns the jobs of all nodes, also ended ones. */
    @Needs(Role.OBSERVE)
    CompletionStage<List<JobRecord>> jobs();

    /** Returns what the ranks of a job do. */
    @Needs(Role.OBSERVE)
    CompletionStage<JobActivity> ranks(String job);

    /** Returns what the node knows that jobs have found out while they tuned live calls, the latest last. */
    @Needs(Role.OBSERVE)
    CompletionStage<List<TuningRecord>> learnt();

    /** Returns the checkpoints that all nodes keep. */
    @Needs(Role.OBSERVE)
    CompletionStage<List<HeldCheckpoint>> checkpoints();

    /** Returns the address of the node's live page, with a token for the role of the user, {@link Role#CHANGE} at the most. */
    @Needs(Role.OBSERVE)
    CompletionStage<String> page();

    /** Returns the address of the node's live page, with a token for a role, which the user needs. */
    @Needs(Role.OBSERVE)
    CompletionStage<String> pageFor(Role role);

    /** Ends a job. */
    @Needs(Role.RUN)
    CompletionStage<String> cancel(String job);

    /**
     * Saves the state of a job at the next point of its program.
     *
     * @param limitMillis how long to wait for it
     */
    @Needs(Role.RUN)
    CompletionStage<String> checkpoint(String job, long limitMillis);

    /** Removes the checkpoints of a series from all nodes. */
    @Needs(Role.RUN)
    CompletionStage<String> removeCheckpoints(String series);

    /**
     * Changes the modules.
     *
     * @param force whether the change is made when the node's part of the cluster is no majority
     * @param file  the bytes of the change's file; empty if it has none
     */
    @Needs(Role.CHANGE)
    CompletionStage<String> change(ModuleChange change, boolean force, InputStream file);

    /**
     * Changes the modules, and asks running jobs to take them.
     *
     * @param force whether the change is made when the node's part of the cluster is no majority
     * @param job   id of the only job that is asked; empty for all jobs
     * @param file  the bytes of the change's file; empty if it has none
     */
    @Needs(Role.CHANGE)
    CompletionStage<ChangedModules> changeLive(ModuleChange change, boolean force, String job, InputStream file);

    /**
     * Has running jobs try a module; completes when they have a verdict, by which the module has replaced the one before, or was removed.
     *
     * @param module the bytes of the module's file are in {@code file}
     * @param share  share of the calls that are compared at the most
     * @param budget share of the time of each rank that comparisons may take
     * @param verify whether the module's plans are verified before it is installed
     * @param force  whether the change is made when the node's part of the cluster is no majority, or the module is in quarantine
     * @param job    id of the only job that tries it; empty for all jobs
     */
    @Needs(Role.CHANGE)
    CompletionStage<ModuleTrial> tryLive(ProgramFile module, double share, double budget, boolean verify, boolean force, String job,
        InputStream file);

    /** Tells the node to join the cluster of the node at an address; the text names modules of the cluster that it lacks. */
    @Needs(Role.NODE)
    CompletionStage<String> join(HostPort cluster);

    /** Stops the nodes with these names; all nodes when there are none. */
    @Needs(Role.NODE)
    CompletionStage<String> stop(List<String> nodes);
}
