package tutti.daemon.launch;

import java.io.InputStream;
import java.util.concurrent.CompletionStage;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/** Launcher of jobs on a node, for a command. A link runs one job, which ends with the link. */
public interface JobLauncher {

    /**
     * Runs a job; the result, when it has ended and the {@link JobClient} has read all its output, is how it ended. A job that is refused fails with
     * a {@link CallFailedException}.
     *
     * @param files the bytes of its files, one after the other
     */
    @Needs(Role.RUN)
    CompletionStage<JobEnd> run(RunRequest request, InputStream files);

    /** Ends the job of this link. */
    @Needs(Role.RUN)
    void cancel();
}
