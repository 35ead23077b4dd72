package tutti.coll.advanced;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A hidden communicator on which a module nests collectives: the result of {@link SetupComm#split} or {@link SetupComm#local}. Immutable and
 * thread-safe.
 */
@ProviderType
public interface CollSubComm {

    /** Returns this rank's number in the sub-communicator, from 0. */
    int rank();

    /** Returns the number of ranks in the sub-communicator. */
    int size();

    /**
     * Translates a rank to the communicator from which this one was made.
     *
     * @param rank a rank of the sub-communicator
     * @return the same process's rank in the parent; after {@link SetupComm#local}, in the local group of the intercommunicator
     */
    int parentRank(int rank);
}
