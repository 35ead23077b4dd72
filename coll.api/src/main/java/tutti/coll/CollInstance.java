package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A module on one communicator, made by {@link CollModule#query} and released when the communicator is freed, at the latest when the
 * job ends. State that belongs to a communicator is kept here and nowhere else.
 */
@ConsumerType
public interface CollInstance {

    /** What the module offers on this communicator. Asked once, right after the query. */
    AlgorithmTable table();

    /**
     * Sets the module up, on every rank of the communicator in the same order, once it was selected for at least one operation.
     * Messages and sub-communicators may be made here, with what {@link CollModule#query} got.
     *
     * @return the table to use from now on; by default the one that was offered
     * @throws Exception removes the module on all ranks; the next one is used
     */
    default AlgorithmTable init() throws Exception {
        return table();
    }

    /**
     * Releases what {@link #init} made. Called once and only after {@link #init} returned: on any thread, after the last call on the
     * communicator is complete, or at once when another rank could not be set up.
     */
    default void dispose() { }
}
