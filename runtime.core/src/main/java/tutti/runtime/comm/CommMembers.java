package tutti.runtime.comm;

/**
 * The members of a communicator, as seen by one of its ranks. Immutable.
 *
 * @param local   this rank's group
 * @param rank    this rank in the local group
 * @param remote  the remote group of an intercommunicator, else null
 * @param isFirst whether this rank's group precedes the remote one in the order of all ranks
 */
record CommMembers(Group local, int rank, Group remote, boolean isFirst) {

    /** Returns the members of an intracommunicator. */
    static CommMembers of(final Group group, final int worldRank) {
        return new CommMembers(group, group.rankOf(worldRank), null, true);
    }

    boolean isInter() {
        return remote != null;
    }

    /** Returns the group that messages are sent to and received from. */
    Group peers() {
        return remote == null ? local : remote;
    }

    /** Returns all ranks, in an order that is equal on all of them. */
    Group all() {
        return remote == null ? local : isFirst ? local.union(remote) : remote.union(local);
    }

    /** Returns this rank's index among all ranks. */
    int index() {
        return firstLocal() + rank;
    }

    /** Returns the index of the first rank of the local group among all ranks. */
    int firstLocal() {
        return isFirst ? 0 : remote.size();
    }
}
