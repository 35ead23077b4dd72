package tutti.runtime.job;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Transport;

/**
 * The interface of the daemon to the runtime, which runs the parts of jobs on this node. Published as a service; safe for any thread.
 *
 * <p>The daemon owns the listeners. It gives {@link #acceptor()} the links whose hello has one of the purposes below.
 */
@ProviderType
public interface JobHost {
    /** The purpose of links between the nodes of a job. */
    String PURPOSE = "job";

    /** The purpose of links between nodes of different jobs. */
    String PURPOSE_PEER = "peer";

    /** The purpose of links to a port of a job. */
    String PURPOSE_PORT = "port";

    /**
     * Prepares the local part of a job: opens the program and accepts links of the job's other nodes. Starts no rank.
     *
     * @throws IOException              when the program cannot be read
     * @throws IllegalArgumentException when the specification is not valid; the message gives the reason
     */
    LocalJob prepare(JobSpec spec, JobListener listener) throws IOException;

    /**
     * Runs small jobs of this node's own, so that the JVM has compiled what jobs need before the first one comes. They end by themselves, or when a
     * job is prepared; the caller waits for that. They do not begin when a job was prepared before.
     *
     * @param program   the class with {@code main}, which a bundle shares with programs
     * @param agreement the modules, parameters and rules of a job on this node
     * @param transport links the ranks of some of the jobs
     */
    void warmUp(String program, AgreedModules agreement, Transport transport);

    /** Returns the number of ranks that run on this node. */
    int running();

    /** Returns the statistics of the schedule caches of the ranks on this node since it started. */
    CacheStatistics schedules();

    /** Returns the numbers of messages of the ranks on this node since it started. */
    MessageStatistics messages();

    /** Returns the acceptor of links from other nodes of a job. It refuses nodes that do not know the key of the job. */
    LinkAcceptor acceptor();
}
