package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A module's state on one communicator, on one rank. {@link CollModule#query} creates it; the runtime releases it when the communicator is
 * freed, at the latest when the job ends. State of a communicator is kept here and nowhere else.
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
     * Releases the resources that {@link #init} acquired. Called at most once, and only if {@link #init} returned a table: on any thread,
     * after the last call on the communicator is complete, or right away if another rank failed to initialize. An exception is logged.
     */
    default void dispose() {}
}
