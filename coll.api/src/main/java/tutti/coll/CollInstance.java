package tutti.coll;

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
     * {@link CollComm} that {@link CollModule#query} received.
     *
     * @return the table to use from now on, not null; by default {@link #table()}
     * @throws Exception if initialization failed: the module is removed on all ranks, and the next module in order is used instead
     */
    default AlgorithmTable init() throws Exception {
        return table();
    }

    /**
     * Returns whether this instance also serves duplicates of the communicator. The runtime asks after {@link #init}. If all modules that are used on
     * a communicator return true on all its ranks, no module is queried for its duplicates: these use the same instances and tables. So the
     * algorithms must hold nothing that belongs to one communicator, except for sub-communicators: in the plan of a duplicate, {@link Plan#nested}
     * takes the duplicate's own sub-communicators in their places.
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
