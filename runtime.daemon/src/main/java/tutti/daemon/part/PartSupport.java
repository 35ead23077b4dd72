package tutti.daemon.part;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;

/** The services that a part of a job uses: those of its node, or in a job JVM those that ask the node. Safe for any thread. */
interface PartSupport {

    /** Returns the names of the switches that connect the node, the nearest first; empty where they are not known. */
    List<String> switches();

    /** Returns the most ranks of a part. */
    int maxRanks();

    /** Opens the checkpoints of a part, and fetches the states from which its ranks continue; null where the node does that. Blocks. */
    @Nullable
    JobCheckpoints openCheckpoints(JobSpec spec, @Nullable Restart restart) throws IOException;

    /** Returns what is provided for a part that connects. */
    JobServices services(LocalPart part, AgreedJob job);

    /** Ends what is done for a part, which has ended. */
    void ended(JobPart part);

    /** Returns who starts the jobs that ranks spawn. */
    JobSpawner spawner();
}
