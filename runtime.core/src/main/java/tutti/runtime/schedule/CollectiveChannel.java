package tutti.runtime.schedule;

import tutti.runtime.match.Mailbox;
import tutti.runtime.request.Request;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.ShmRegion;

/** Maps the peers of a communicator's collectives to mailboxes, links and world ranks. Immutable. */
public interface CollectiveChannel {

    /** Returns the mailbox of the local rank. */
    Mailbox home();

    /** Returns the context id of collective traffic. */
    long context();

    /** Returns what a rank waits for that waits for a call of a number. */
    Request.Pending pending(long number);

    /** Returns the local rank, as receivers see it. */
    int rank();

    /** Returns the executor that messages to a peer are submitted to. */
    SerialExecutor destination(int peer);

    /** Returns a peer's rank in COMM_WORLD. */
    int worldRank(int peer);

    /** Returns whether a peer is on the node of the local rank. */
    boolean isOnSameNode(int peer);

    /** Returns the shared-memory region of the communicator on this node. */
    ShmRegion region();

    /** Returns the number of peers: the size of the communicator, or of the remote group. */
    int peers();

    /** Returns whether the peers are the remote group of an intercommunicator. */
    boolean isInter();

    /** Returns the communicator's name. */
    String name();

    /** Returns the rank of a peer from its rank in COMM_WORLD; the inverse of {@link #worldRank}. */
    int rankOf(int worldRank);

    /**
     * Returns the name of a rank for messages: its rank in the communicator, on an intercommunicator its group, too.
     *
     * @param worldRank its rank in COMM_WORLD; on an intercommunicator it may be in either group
     */
    String nameOf(int worldRank);
}
