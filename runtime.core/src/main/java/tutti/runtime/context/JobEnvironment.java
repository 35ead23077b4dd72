package tutti.runtime.context;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.access.WindowTable;
import tutti.runtime.checkpoint.agreement.JobCheckpoints;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.JobSpec;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.model.Group;
import tutti.runtime.module.PlanProver;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.ShmRegions;

/**
 * The job as its ranks see it: its size, nodes, modules and message targets. Ranks of other jobs have numbers from the job's size on; see
 * {@link JobConnections}.
 */
public interface JobEnvironment {

    /** Returns the specification of the job. */
    JobSpec spec();

    /** Returns the job's id. */
    String jobId();

    /** Returns a number, from 0, that tells the job apart from other jobs that it is connected to. */
    int number();

    /** Returns the name of the port of the job that spawned this one; null if none did. */
    @Nullable
    String parent();

    /** Returns the number of ranks of the job, with the spare ones: other numbers are those of ranks of other jobs. */
    int size();

    /** Returns the index of the program that a rank of the job runs, among the programs that were spawned together. */
    int programOf(int worldRank);

    /** Returns the group of the ranks with which the job has begun: one object for all ranks of this node. */
    Group world();

    /** Returns the executors that messages to all ranks of the job are submitted to, as {@link #target} does. */
    PeerTargets worldTargets();

    /** Returns the index of the node of a rank. */
    int nodeOf(int worldRank);

    /** Returns the place of a rank. */
    RankPlace placeOf(int worldRank);

    /** Returns the name of the node of a rank. */
    String nodeName(int worldRank);

    /** Returns the latest modules that the nodes of the job agreed on; set before the first rank starts. */
    default JobModules modules() {
        return live().newest();
    }

    /** Returns the modules of the job, as they change while it runs. */
    LiveModules live();

    /**
     * Tells the job that a trial of modules begins on a communicator, then now and then what it has found until now, and last the verdict. A report
     * without comparisons and verdict is the first one. Called by the first rank of the communicator; must not block.
     */
    void canary(CanaryReport report);

    /** Tells the job what tuning on live calls has found out. Called once by rank 0 of the job, if anything was found; must not block. */
    void tuned(List<CallTuning> found);

    /** Returns the connections to ranks of other jobs. */
    JobConnections connections();

    /** Returns the ranks that are lost. */
    RankLosses losses();

    /** Returns the job's checkpoints. */
    JobCheckpoints checkpoints();

    /** Returns what proves plans of the job's modules. */
    PlanProver prover();

    /** Returns the shared-memory regions of the job's ranks on this node. */
    ShmRegions regions();

    /** Returns the windows of the job's ranks on this node. */
    WindowTable windows();

    /** Returns what polls the links to the other nodes. */
    MessagePolling polling();

    /** Returns what links the nodes of some ranks, for users; null when they are on one node, or some are of other jobs. */
    @Nullable
    String linksBetween(IntStream worldRanks);

    /** Returns the executor that messages to a rank are submitted to. */
    SerialExecutor target(int worldRank);
}
