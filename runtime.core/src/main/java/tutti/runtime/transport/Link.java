package tutti.runtime.transport;

import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** A connection to one peer that carries frames in order, both ways. */
@ConsumerType
public interface Link {

    /**
     * Sends one frame made of a header and a payload, or says that there is no room.
     *
     * <p>Both are copied before the call returns, so the caller may reuse them at once; nothing is allocated in the steady state. Where
     * the link is idle the bytes go to the network on the calling thread. The bytes that a link holds are bounded: above a high mark
     * the answer is false, the frame is not taken, and {@link LinkHandler#writable} follows when half of them are gone.
     *
     * <p>Callers see to it that only one thread at a time sends on a link. Does not block.
     *
     * @param header        the frame's first bytes
     * @param headerBytes   how many of them
     * @param payload       memory that holds the rest; may be null where {@code payloadBytes} is 0
     * @param payloadOffset first byte of the rest
     * @param payloadBytes  length of the rest; with the header 1 to {@link #maxFrame()}
     * @return whether the frame was taken; true on a closed link too, as there it makes no difference
     */
    boolean trySend(byte[] header, int headerBytes, MemorySegment payload, long payloadOffset, int payloadBytes);

    /** The longest frame, in bytes; at least 32 KiB. */
    int maxFrame();

    /** The peer's address in words, for messages. */
    String peer();

    /**
     * Sends what was taken, as far as the peer takes it within a second, then closes. {@link LinkHandler#closed} follows. Idempotent;
     * does not block.
     */
    void close();
}
