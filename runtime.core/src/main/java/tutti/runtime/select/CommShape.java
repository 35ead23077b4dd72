package tutti.runtime.select;

/**
 * The shape of a communicator, as one of its ranks sees it.
 *
 * @param name       the communicator's name
 * @param rank       this rank in its group
 * @param remoteSize size of the remote group of an intercommunicator; -1 for an intracommunicator
 * @param nodes      index of the node of each rank of this rank's group
 */
public record CommShape(String name, int rank, int remoteSize, int[] nodes) {

    /** Returns the size of this rank's group. */
    int size() {
        return nodes.length;
    }

    /** Returns whether it is an intercommunicator. */
    boolean isInter() {
        return remoteSize >= 0;
    }
}
