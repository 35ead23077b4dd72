package tutti.coll.advanced;

import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.CollJob;
import tutti.coll.CollModule;

/**
 * Thread levels that a module supports: a {@link CollModule} that cannot serve all of them implements this interface too.
 *
 * <p>The runtime asks once per job on each node, before any {@link CollModule#query}. A rank with a level outside of the range does not use the
 * module, nor does any communicator of that rank. An exception or error excludes the module from the job's communicators on the ranks of that node.
 */
@ConsumerType
public interface ThreadSupport {

    /**
     * Returns the thread levels that the module supports in a job.
     *
     * @param job   the job
     * @param level the level that the rank asks for which is the first to ask on its node; MULTIPLE for {@code MPI.Init}, which grants the highest
     *              level that all modules support
     * @return the range, or empty if the module does not take part in this job
     */
    Optional<ThreadRange> threads(CollJob job, ThreadLevel level);
}
