package tutti.coll;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A module's state on one communicator, on one rank. {@link CollModule#query} creates it; the runtime releases it when the communicator is freed,
 * and each duplicate that {@linkplain #servesDuplicates it serves}, at the latest when the job ends. State of a communicator is kept here and
 * nowhere else.
 */
@ConsumerType
public interface CollInstance {

    /**
     * Returns the algorithms that the module offers on this communicator. The runtime calls it once, right after the query and on the same
     * thread; the default {@link #init} calls it again. An exception, or null, excludes the module from the communicator.
     */
    AlgorithmTable table();

    /**
     * Initializes the module. Called once, and only if selection may choose one of its algorithms for some call. All ranks of the
     * communicator initialize the modules in the same order. The module may exchange messages and create sub-communicators here, on the
     * {@link tutti.coll.advanced.SetupComm} that {@link CollModule#query} received.
     *
     * @return the table to use from now on, not null; by default {@link #table()}
     * @throws Exception if initialization failed: the module is removed on all ranks, and the next module in order is used instead
     */
    default AlgorithmTable init() throws Exception {
        return table();
    }

    /**
     * Returns the algorithms for other values of the module's parameters, of which a rule, or the user, names some for the calls that they serve. An
     * algorithm can be named with a parameter only if its entry in this table lists the parameter as {@link Tunable}.
     *
     * <p>Called for each set of values that applies to the communicator, on all ranks for the same sets in the same order: after {@link #table}, and
     * again after {@link #init}, whose resources the algorithms may use. In a job that tunes its calls ({@code coll.tune=online}) it is also called
     * later, for sets that tuning tries, and never while an algorithm of the instance plans. Must not exchange messages. After an exception, none of
     * these algorithms is selected, and {@code tutti explain} shows the reason.
     *
     * @param job the communicator's job with these values in place of its own
     * @return by default null: all algorithms have the values of the job
     */
    default @Nullable AlgorithmTable tuned(final CollJob job) {
        return null;
    }

    /**
     * Returns whether this instance also serves duplicates of the communicator. The runtime asks after {@link #init}. If all modules that are used on
     * a communicator return true on all its ranks, no module is queried for its duplicates: these use the same instances and tables. So the
     * algorithms must hold nothing that belongs to one communicator, except for sub-communicators: in the plan of a duplicate,
     * {@link tutti.coll.advanced.AdvancedPlan#nested} takes the duplicate's own sub-communicators in their places.
     *
     * @return by default false. An instance that only holds a table, as {@link QueryResult#usable} makes it, returns true
     */
    default boolean servesDuplicates() {
        return false;
    }

    /**
     * Releases the resources that {@link #init} acquired. Called at most once, and only if {@link #init} returned a table: on any thread,
     * after the last call on the communicator and on the duplicates that it serves is complete, or right away if another rank failed to
     * initialize. An exception is logged.
     */
    default void dispose() {}
}
