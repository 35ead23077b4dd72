package tutti.runtime.select;

import tutti.coll.CollComm;

/**
 * The shape of a communicator, as one of its ranks sees it.
 *
 * @param name        the communicator's name
 * @param origin      how the communicator was made
 * @param parent      name of the communicator that it is a part or a duplicate of; null if there is none
 * @param rank        this rank in its group
 * @param nodes       index of the node of each rank of this rank's group
 * @param remoteNodes index of the node of each rank of the remote group of an intercommunicator; empty for an intracommunicator
 */
public record CommShape(String name, CollComm.Origin origin, String parent, int rank, int[] nodes, int[] remoteNodes) {

    /** Returns the size of this rank's group. */
    int size() {
        return nodes.length;
    }

    /** Returns whether it is an intercommunicator. */
    boolean isInter() {
        return remoteNodes.length > 0;
    }

    /** Returns the size of the remote group of an intercommunicator; 0 for an intracommunicator. */
    int remoteSize() {
        return remoteNodes.length;
    }

    /** Returns the number of ranks of this rank's group of an intercommunicator; 0 for an intracommunicator. */
    int group() {
        return isInter() ? size() : 0;
    }
}
