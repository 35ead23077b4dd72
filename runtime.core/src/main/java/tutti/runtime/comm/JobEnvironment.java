package tutti.runtime.comm;

import tutti.runtime.match.SerialExecutor;
import tutti.runtime.select.JobModules;
import tutti.runtime.shm.ShmRegions;

/** What a rank knows of its job: who is in it, how to reach them, and whom to tell. */
public interface JobEnvironment {

    /** The job's id. */
    String jobId();

    /** Ranks of the job. */
    int size();

    /** The index of the node of a rank. */
    int nodeOf(int worldRank);

    /** The name of the node of a rank. */
    String nodeName(int worldRank);

    /** The modules that the job's nodes agreed on; known from before the first rank starts. */
    JobModules modules();

    /** What the job's ranks on this node show each other. */
    ShmRegions boards();

    /** Where messages to a rank go. */
    SerialExecutor target(int worldRank);
}
