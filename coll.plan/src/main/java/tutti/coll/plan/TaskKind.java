package tutti.coll.plan;

/** The kind of a task. */
public enum TaskKind {
    /** Sends a range to a peer. */
    SEND,
    /** Receives a range from a peer. */
    RECV,
    /** Waits until nobody reads any more what an earlier call left in the shared memory. */
    RESERVE,
    /** Signals to the ranks of the node that the tasks before it are complete. */
    POST,
    /** Waits for a post of a peer. */
    AWAIT,
    /** Copies a range. */
    COPY,
    /** Combines a range with another one. */
    REDUCE,
    /** Copies a range of a peer's memory. */
    GET,
    /** Combines a range of a peer's memory with a range of the own memory. */
    PEER_REDUCE,
    /** Orders the tasks before it and after it. */
    FENCE,
    /** Does what the plan does not state, by work of a module. */
    OPAQUE,
    /** Takes part in a collective that a device carries out. */
    OFFLOADED
}
