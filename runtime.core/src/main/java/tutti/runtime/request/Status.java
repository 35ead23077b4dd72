package tutti.runtime.request;

/**
 * What became of a message or request. Immutable.
 *
 * @param source    rank that sent it
 * @param tag       its tag
 * @param bytes     packed bytes that were received
 * @param cancelled whether the request was cancelled
 */
public record Status(int source, int tag, long bytes, boolean cancelled) {
    /** Stands for any source or tag. */
    public static final int ANY = -1;
    /** The status of a request that has nothing to tell: any source, any tag, no bytes. */
    public static final Status EMPTY = new Status(ANY, ANY, 0, false);
}
