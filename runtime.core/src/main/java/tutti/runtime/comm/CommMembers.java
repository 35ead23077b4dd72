package tutti.runtime.comm;

/**
 * Who is in a communicator, as one of its ranks sees it. Immutable.
 *
 * @param local   this rank's group
 * @param rank    this rank there
 * @param remote  the other group of an intercommunicator, else null
 * @param isFirst whether this rank's group comes before the other one where both are put in one order
 */
record CommMembers(Group local, int rank, Group remote, boolean isFirst) {

    /** In an intracommunicator, of a rank of COMM_WORLD. */
    static CommMembers of(final Group group, final int worldRank) {
        return new CommMembers(group, group.rankOf(worldRank), null, true);
    }

    boolean isInter() {
        return remote != null;
    }

    /** Whom messages go to and come from. */
    Group peers() {
        return remote == null ? local : remote;
    }

    /** Everybody, in an order that is the same for all. */
    Group all() {
        return remote == null ? local : isFirst ? local.union(remote) : remote.union(local);
    }

    /** This rank among all. */
    int place() {
        return firstLocal() + rank;
    }

    /** Where this rank's group begins among all. */
    int firstLocal() {
        return isFirst ? 0 : remote.size();
    }
}
