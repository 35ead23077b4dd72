package tutti.daemon.part;

import tutti.daemon.channel.CallFailedException;
import tutti.runtime.job.JobSpec;

/** The part of a job on this node, which is made and not prepared. */
public interface PreparablePart extends JobPart {

    /**
     * Prepares the ranks, and a listener for the links from the job's other nodes. Blocks.
     *
     * @param order the order of the coordinator; the node need not have its transport
     * @param spec  the same as the ranks see it
     * @throws CallFailedException when it cannot be prepared; the part has ended then, or is about to
     */
    PreparedPart prepare(Preparation order, JobSpec spec) throws CallFailedException;
}
