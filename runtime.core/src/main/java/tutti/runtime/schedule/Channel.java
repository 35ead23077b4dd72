package tutti.runtime.schedule;

import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Serial;

/** Where the messages of a communicator's collectives go. Immutable. */
public interface Channel {

    /** The mailbox of the rank that runs. */
    Mailbox home();

    /** The context of collective traffic. */
    int context();

    /** The rank that runs, as receivers see it. */
    int rank();

    /** Where messages to a peer go. */
    Serial target(int peer);

    /** A peer's rank in COMM_WORLD. */
    int worldRank(int peer);
}
