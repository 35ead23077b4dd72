package tutti.runtime.shm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;

/**
 * The buffers of one segment of an execution, exposed to the other ranks of the node while a call is in progress. It is reused by every call that the
 * execution serves. One thread at a time writes; others read after they have seen that the segment of their call has {@linkplain SegmentSlots begun}.
 */
public final class ExposedBuffers {
    private final PlanSegment segment;
    private final ExposedBuffers[] siblings;
    private @Nullable MemorySegment send;
    private @Nullable MemorySegment recv;
    private @Nullable MemorySegment scratch;

    /**
     * Creates buffers without memory.
     *
     * @param all the buffers of all segments of the execution on this communicator, by index
     */
    public ExposedBuffers(final PlanSegment part, final ExposedBuffers[] all) {
        this.segment = part;
        this.siblings = all;
    }

    /** Sets the memory for a call. Called by the owner. */
    public void begin(final @Nullable MemorySegment sendMemory, final @Nullable MemorySegment recvMemory,
        final @Nullable MemorySegment scratchMemory) {
        send = sendMemory;
        recv = recvMemory;
        scratch = scratchMemory;
    }

    /** Drops the references to the memory; later reads find none. */
    public void end() {
        send = null;
        recv = null;
        scratch = null;
    }

    /** Returns the segment. */
    public PlanSegment segment() {
        return segment;
    }

    /** Returns the buffers of another segment on this communicator; null when there is none with that index. */
    public @Nullable ExposedBuffers sibling(final int index) {
        return index == 0 ? this : index < siblings.length ? siblings[index] : null;
    }

    /** Returns the memory of a buffer of the segment other than {@link Buffer#SHARED}; null after the call has ended. */
    public @Nullable MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
            case SHARED -> throw new IllegalArgumentException("shared memory belongs to a slot");
        };
    }
}
