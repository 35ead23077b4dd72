package tutti.runtime.model;

/**
 * The outcome of a message or request. Immutable.
 *
 * @param source    rank that sent the message
 * @param tag       tag of the message
 * @param bytes     packed bytes that were received
 * @param cancelled whether the request was cancelled
 */
public record Status(int source, int tag, long bytes, boolean cancelled) {
    /** Any source or any tag. */
    public static final int ANY = -1;
    /** The status of a request without a message: any source, any tag, no bytes. */
    public static final Status EMPTY = new Status(ANY, ANY, 0, false);
}
