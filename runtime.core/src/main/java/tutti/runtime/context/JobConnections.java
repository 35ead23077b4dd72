package tutti.runtime.context;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import tutti.runtime.job.RankServices;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.select.JobModules;

/**
 * The connections of a job to ranks of other jobs, on one of its nodes. Safe for any thread.
 *
 * <p>A rank of another job has a number here, above the ranks of this job, that groups contain like a rank in COMM_WORLD. Numbers mean something on
 * this node only: nodes tell each other ranks as {@link GroupDescription}s.
 */
public interface JobConnections {

    /** Is notified of ranks that are lost. */
    @FunctionalInterface
    interface LossListener {
        /**
         * Reports that ranks of another job have left or are lost.
         *
         * @param isLost whether a rank, by its number, is one of them
         * @param why    the error of calls that need them
         */
        void lost(IntPredicate isLost, MpiFailure why);
    }

    /** Returns what the daemon does for the ranks. */
    RankServices services();

    /** Returns the number of cores of all nodes that were in the cluster when the job began; 0 for a job that is not run by a daemon. */
    int places();

    /** Describes a group to ranks of other jobs. */
    GroupDescription describe(Group group, long context);

    /**
     * Returns a group of ranks, some of which may be of other jobs, by their numbers on this node. The numbers are theirs until {@link #release}, and
     * while a listener {@link #watch watches} the group. Must be followed by {@link #link}.
     *
     * @throws MpiFailure when a job cannot be connected to this one
     */
    Group group(GroupDescription description);

    /** Ends what {@link #group} began, after the group is watched or is not used. */
    void release(GroupDescription description);

    /** Opens the links to the nodes of a group, of which this node opens about a half. Does not wait; the other jobs know the group already. */
    void link(Group group);

    /** Returns the modules of a communicator of these ranks: those that all their jobs have. */
    JobModules modulesOf(Group group);

    /** Notifies the listener of ranks of a group that are lost, now or later, as long as something else refers to the listener. */
    void watch(Group group, LossListener listener);

    /** Ends the notifications of a listener. */
    void unwatch(LossListener listener);

    /** Opens a port, and returns its name. */
    String openPort();

    /**
     * Closes a port.
     *
     * @throws MpiFailure when this rank's node has no such port
     */
    void closePort(String name);

    /**
     * Returns the next connection to a port.
     *
     * @throws MpiFailure when this rank's node has no such port
     */
    CompletableFuture<Meeting> accept(String name);

    /**
     * Connects to a port of any job; fails with a message for the user.
     *
     * @throws MpiFailure when it is not the name of a port
     */
    CompletableFuture<Meeting> connect(String name, Duration limit);
}
