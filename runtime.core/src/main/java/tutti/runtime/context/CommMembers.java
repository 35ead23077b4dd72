package tutti.runtime.context;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.Group;

/**
 * The members of a communicator, as seen by one of its ranks. Immutable.
 *
 * @param local   this rank's group
 * @param rank    this rank in the local group
 * @param remote  the remote group of an intercommunicator, else null
 * @param isFirst whether this rank's group precedes the remote one in the order of all ranks
 */
public record CommMembers(Group local, int rank, @Nullable Group remote, boolean isFirst) {

    /** Returns the members of an intracommunicator. */
    public static CommMembers of(final Group group, final int worldRank) {
        return new CommMembers(group, group.rankOf(worldRank), null, true);
    }

    /** Returns whether these are the members of an intercommunicator. */
    public boolean isInter() {
        return remote != null;
    }

    /** Returns the group that messages are sent to and received from. */
    public Group peers() {
        return remote == null ? local : remote;
    }

    /** Returns all ranks, in an order that is equal on all of them. */
    public Group all() {
        return remote == null ? local : isFirst ? local.union(remote) : remote.union(local);
    }

    /** Returns the name of a rank of either group for messages: its rank, on an intercommunicator with its group as this rank sees it. */
    public String nameOf(final int worldRank) {
        final int inLocal = local.rankOf(worldRank);
        return remote == null ? "rank " + inLocal
            : inLocal == Group.UNDEFINED ? "rank " + remote.rankOf(worldRank) + " of the remote group" : "rank " + inLocal + " of the local group";
    }

    /** Returns this rank's index among all ranks. */
    public int index() {
        return firstLocal() + rank;
    }

    /** Returns the index of the first rank of the local group among all ranks. */
    public int firstLocal() {
        return isFirst || remote == null ? 0 : remote.size();
    }
}
