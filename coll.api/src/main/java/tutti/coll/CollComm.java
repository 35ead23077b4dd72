package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/** What a module may know of a communicator that is being made. Immutable; safe for any thread. */
@ProviderType
public interface CollComm {

    /** The job that it belongs to. */
    CollJob job();

    /** The communicator's name or, without one, its context. */
    String name();

    /** This rank in its group. */
    int rank();

    /** Ranks in this rank's group. */
    int size();

    /** Whether it is an intercommunicator. */
    boolean isInter();

    /** Ranks in the remote group; on an intracommunicator the same as {@link #size()}. */
    int remoteSize();

    /** The node that holds a rank of this group, as an index that is equal on all ranks. */
    int nodeOf(int rank);
}
