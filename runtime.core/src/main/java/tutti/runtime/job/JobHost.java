package tutti.runtime.job;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Transport;

/**
 * Runs the local parts of jobs. The daemon's interface to the runtime, published as a service. Safe for any thread.
 *
 * <p>The daemon owns the listeners and routes hellos of purpose {@link #PURPOSE} to {@link #acceptor()}.
 */
@ProviderType
public interface JobHost {
    /** The purpose of links between the nodes of a job. */
    String PURPOSE = "job";

    /**
     * Prepares the local part of a job: opens the program and accepts links of the job's other nodes. Starts no rank.
     *
     * @throws IOException              when the program cannot be read
     * @throws IllegalArgumentException when the specification is not valid; the message gives the reason
     */
    LocalJob prepare(JobSpec spec, JobListener listener) throws IOException;

    /**
     * Runs a job of this node's own, without a program, so that the JVM has compiled what jobs need before the first one comes. It ends by itself
     * after some seconds, or when a job is prepared; it does not begin when one was prepared before. Does not wait.
     *
     * @param agreement the modules, parameters and rules of a job on this node
     * @param transport links two halves of the job
     */
    void warmUp(AgreedModules agreement, Transport transport);

    /** Returns the number of ranks that run on this node. */
    int running();

    /** Returns the statistics of the schedule caches of the ranks on this node since it started. */
    CacheStatistics schedules();

    /** Returns the acceptor of links from other nodes of a job. It refuses nodes that do not know the key of the job. */
    LinkAcceptor acceptor();
}
