package tutti.coll;

import org.osgi.annotation.versioning.ProviderType;

/** A hidden communicator that a module made with {@link CollComm#split}. Immutable; safe for any thread. */
@ProviderType
public interface CollSubComm {

    /** This rank in the group. */
    int rank();

    /** Ranks in the group. */
    int size();

    /** The rank in the communicator that was split of a rank of the group. */
    int parentRank(int rank);
}
