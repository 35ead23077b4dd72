package tutti.runtime.context;

import java.util.function.IntPredicate;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.select.JobModules;

/**
 * The connections of a job to ranks of other jobs, as communicators use them, on one of its nodes. Safe for any thread.
 *
 * <p>A rank of another job has a number here, above the ranks of this job, that groups contain like a rank in COMM_WORLD. Numbers mean something on
 * this node only.
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

    /** Returns the modules of a communicator of these ranks: those that all their jobs have. */
    JobModules modulesOf(Group group);

    /** Notifies the listener of ranks of a group that are lost, now or later, as long as something else refers to the listener. */
    void watch(Group group, LossListener listener);

    /** Ends the notifications of a listener. */
    void unwatch(LossListener listener);
}
