package tutti.runtime.context;

import tutti.runtime.model.Group;
import tutti.runtime.select.JobModules;

/**
 * The connections of a job to ranks of other jobs, as communicators use them, on one of its nodes. Safe for any thread.
 *
 * <p>A rank of another job has a number here, above the ranks of this job, that groups contain like a rank in COMM_WORLD. Numbers mean something on
 * this node only.
 */
public interface JobConnections {

    /** Returns the modules of a communicator of these ranks: those that all their jobs have. */
    JobModules modulesOf(Group group);
}
