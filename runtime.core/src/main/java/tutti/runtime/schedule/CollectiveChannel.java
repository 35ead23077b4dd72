package tutti.runtime.schedule;

import tutti.runtime.match.Mailbox;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.shm.ShmRegion;

/** Where the messages of a communicator's collectives go. Immutable. */
public interface CollectiveChannel {

    /** The mailbox of the rank that runs. */
    Mailbox home();

    /** The context of collective traffic. */
    int context();

    /** The rank that runs, as receivers see it. */
    int rank();

    /** Where messages to a peer go. */
    SerialExecutor target(int peer);

    /** A peer's rank in COMM_WORLD. */
    int worldRank(int peer);

    /** Whether a peer is on the node of the rank that runs. */
    boolean isNear(int peer);

    /** What the ranks of the node show each other on the communicator. */
    ShmRegion board();

    /** How many ranks messages go to and come from. */
    int peers();

    /** Whether these are the ranks of another group. */
    boolean isInter();

    /** The communicator's name. */
    String name();

    /** The rank of a peer, by its rank in COMM_WORLD; the way back from {@link #worldRank}. */
    int rankOf(int worldRank);
}
