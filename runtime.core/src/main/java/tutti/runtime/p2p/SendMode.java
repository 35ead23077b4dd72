package tutti.runtime.p2p;

/** MPI's send modes. */
public enum SendMode {
    /** Complete when the buffer may be reused. */
    STANDARD,
    /** Complete when a receive has matched the message. */
    SYNCHRONOUS,
    /** Complete at once: the data is copied if necessary. */
    BUFFERED,
    /** Like standard; the program guarantees that the receive is posted. */
    READY
}
