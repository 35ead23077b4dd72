package tutti.runtime.job;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Transport;

/**
 * Runs the local parts of jobs; the daemon's door to the runtime, published as a service. Safe for any thread.
 *
 * <p>The owner of the node's listener routes hellos of purpose {@link #PURPOSE} to {@link #acceptor()}.
 */
@ProviderType
public interface JobHost {
    /** The purpose of links between the nodes of a job. */
    String PURPOSE = "job";

    /**
     * Prepares the local part of a job: opens the program and gets ready for the links of the job's other nodes. Nothing runs yet.
     *
     * @param transport makes the links to the other nodes
     * @throws IOException              when the program cannot be read
     * @throws IllegalArgumentException when the specification makes no sense; the message says why
     */
    LocalJob prepare(JobSpec spec, Transport transport, JobListener listener) throws IOException;

    /** How many ranks run on this node. */
    int running();

    /** What the schedule caches of the ranks on this node did since it started, and hold now. */
    CacheStatistics schedules();

    /** Takes the links that other nodes of a job make; refuses those that do not know the job's key. */
    LinkAcceptor acceptor();
}
