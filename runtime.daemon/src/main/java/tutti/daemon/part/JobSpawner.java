package tutti.daemon.part;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tutti.daemon.launch.JobClient;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/** Starts the jobs that ranks of this node spawn. */
public interface JobSpawner {

    /** Client of a job that was spawned. */
    interface Client extends JobClient {
        /** Receives a line that the user should know about the programs. */
        void note(String text);
    }

    /**
     * Starts a job. Blocks.
     *
     * @param parent    the job of the rank that requests it
     * @param owner     who runs that job; null if that is not known
     * @param agreement its agreement
     * @throws IOException when it cannot start; the message says why
     */
    RunningJob spawn(SpawnRequest request, JobSpec parent, @Nullable String owner, AgreedModules agreement, Client client) throws IOException;
}
