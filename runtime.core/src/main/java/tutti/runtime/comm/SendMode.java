package tutti.runtime.comm;

/** MPI's send modes. */
public enum SendMode {
    /** Complete when the buffer may be used again. */
    STANDARD,
    /** Complete when a receive took the message. */
    SYNCHRONOUS,
    /** Complete at once: the data is copied if need be. */
    BUFFERED,
    /** As standard; the program promises that the receive is posted. */
    READY
}
