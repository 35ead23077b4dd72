package tutti.coll;

/**
 * A symbol for memory that a schedule touches; which memory it is, is known only when the schedule runs.
 *
 * <p>Offsets are bytes of packed data: whatever type the caller's elements have, element {@code i} of {@code s} packed bytes
 * lies at {@code i * s}. The runtime maps that to the caller's memory and leaves gaps of derived types alone.
 */
public enum Buffer {
    /** The caller's send buffer. Read only; absent where the call is in place. */
    SEND,
    /** The caller's receive buffer; of {@code bcast} the one buffer, the root's included. */
    RECV,
    /** Memory of the schedule's own, from {@link Plan#scratch(long)}. */
    SCRATCH;

    /**
     * A piece of this buffer.
     *
     * @param offset first byte, from 0
     * @param bytes  length, 0 allowed
     */
    public BufferRange at(final long offset, final long bytes) {
        return new BufferRange(this, offset, bytes);
    }
}
