package tutti.runtime.model;

/**
 * Outcome of a completed request. A blocking receive allocates nothing else, so a status has no more than 32 bytes.
 *
 * @param source sender's rank in the communicator
 * @param tag    tag of the message
 * @param length {@link #bytes}, or their complement, which is negative, if the request was cancelled
 * @param error  error code that a function of the program reported, 0 for none; the call that returns the status has not failed
 */
public record Status(int source, int tag, long length, int error) {
    /** Any source or any tag. */
    public static final int ANY = -1;
    /** The status of a request without a message: any source, any tag, no bytes. */
    public static final Status EMPTY = new Status(ANY, ANY, 0, false);

    /**
     * Creates a status without an error code.
     *
     * @param bytes     packed bytes that were received
     * @param cancelled whether the request was cancelled
     */
    public Status(final int source, final int tag, final long bytes, final boolean cancelled) {
        this(source, tag, bytes, cancelled, 0);
    }

    /** Creates a status with an error code. */
    public Status(final int source, final int tag, final long bytes, final boolean cancelled, final int error) {
        this(source, tag, cancelled ? ~bytes : bytes, error);
    }

    /** Returns the packed bytes that were received. */
    public long bytes() {
        return length < 0 ? ~length : length;
    }

    /** Returns whether the request was cancelled. */
    public boolean cancelled() {
        return length < 0;
    }
}
