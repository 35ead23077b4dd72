package tutti.runtime.model;

/**
 * The outcome of a message or request. Immutable.
 *
 * @param source    rank that sent the message
 * @param tag       tag of the message
 * @param bytes     packed bytes that were received
 * @param cancelled whether the request was cancelled
 * @param error     error code that a function of the program reported, 0 for none; the call that returns the status has not failed
 */
public record Status(int source, int tag, long bytes, boolean cancelled, int error) {
    /** Any source or any tag. */
    public static final int ANY = -1;
    /** The status of a request without a message: any source, any tag, no bytes. */
    public static final Status EMPTY = new Status(ANY, ANY, 0, false);

    /** Creates a status without an error code. */
    public Status(final int source, final int tag, final long bytes, final boolean cancelled) {
        this(source, tag, bytes, cancelled, 0);
    }
}
