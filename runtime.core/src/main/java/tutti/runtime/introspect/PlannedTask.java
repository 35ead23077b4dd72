package tutti.runtime.introspect;

import java.util.List;
import tutti.coll.BufferRange;

/**
 * A task of one rank's schedule.
 *
 * @param id      in the schedule, from 0
 * @param kind    what it does
 * @param from    what it reads, of a peer's memory when it is a GET, or a REDUCE with a peer; null when it reads nothing
 * @param into    what it writes, or null
 * @param bytes   of data
 * @param peer    the other rank, in the communicator of the call; -1 when there is none
 * @param number  of a message, which one it is between the two ranks, from 0; of a POST and an AWAIT, which post of its rank; else 0
 * @param context tells messages, and posts, of communicators apart: that of the call and those of collectives nested in it
 * @param part    tells posts of several collectives nested on one communicator apart, from 0
 * @param group   the sub-communicator of a nested collective, or null
 * @param after   the tasks that it starts after
 */
public record PlannedTask(int id, Kind kind, BufferRange from, BufferRange into, long bytes, int peer, int number, int context, int part,
    String group,
                          List<Integer> after) {

    /** What tasks do. */
    public enum Kind {
        /** Sends to the peer. */ SEND,
        /** Receives from the peer. */ RECV,
        /** Copies. */ COPY,
        /** Combines, with a peer out of its memory. */ REDUCE,
        /** Does nothing: joins the tasks before it. */ FENCE,
        /** Tells the node's ranks that the tasks before it are done. */ POST,
        /** Waits for a post of the peer. */ AWAIT,
        /** Copies out of the peer's memory. */ GET
    }

    /** Copies the list. */
    public PlannedTask {
        after = List.copyOf(after);
    }
}
