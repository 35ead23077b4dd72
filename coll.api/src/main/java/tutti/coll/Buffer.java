package tutti.coll;

/**
 * A symbolic buffer that the tasks of a plan read and write. The runtime binds it to memory when the schedule runs.
 *
 * <p>Offsets count bytes of packed data: for every datatype, element {@code i} of {@code s} packed bytes is located at offset
 * {@code i * s}. The runtime maps offsets to the caller's memory, and does not touch the gaps of derived datatypes.
 */
public enum Buffer {
    /** The caller's send buffer. Read only. Absent if the call is in place, but for scatter, which is in place without {@link #RECV}. */
    SEND,
    /** The caller's receive buffer. In {@code bcast} it is the only buffer, also on the root. */
    RECV,
    /** Scratch memory of the schedule, reserved with {@link Plan#scratch(long)}. */
    SCRATCH,
    /**
     * Short memory that ranks of the node may read after its owner's tasks are complete, reserved with
     * {@link tutti.coll.advanced.AdvancedPlan#shared}.
     */
    SHARED;

    /**
     * Returns a range of this buffer.
     *
     * @param offset first byte, from 0
     * @param bytes  length, 0 or more
     * @throws IllegalArgumentException if the offset or the length is negative, or their sum overflows
     */
    public BufferRange at(final long offset, final long bytes) {
        return new BufferRange(this, offset, bytes);
    }
}
