package tutti.runtime.transport;

import java.lang.foreign.MemorySegment;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/** A connection to one peer that carries frames in order, in both directions. */
@ConsumerType
public interface Link {

    /**
     * Sends one frame made of a header and a payload, unless the link's buffer is full.
     *
     * <p>Both are copied before the call returns, so the caller may reuse them at once; nothing is allocated in the steady state. On an idle
     * link the bytes are written to the network on the calling thread. The bytes that a link buffers are bounded: above a high-water mark the
     * call returns false, the frame is not accepted, and {@link LinkHandler#writable} follows when half of the buffered bytes are sent.
     *
     * <p>Callers must ensure that only one thread at a time sends on a link. Does not block.
     *
     * @param header        the first bytes of the frame
     * @param headerBytes   length of the header
     * @param payload       memory that holds the rest; may be null where {@code payloadBytes} is 0
     * @param payloadOffset offset of the first byte of the rest
     * @param payloadBytes  length of the rest; with the header 1 to {@link #maxFrame()}
     * @return whether the frame was accepted; also true on a closed link, which drops it
     * @throws IllegalArgumentException  when a length is negative, or the frame is empty or longer than {@link #maxFrame()}
     * @throws IndexOutOfBoundsException when the payload ends before the frame does
     */
    boolean trySend(byte[] header, int headerBytes, @Nullable MemorySegment payload, long payloadOffset, int payloadBytes);

    /**
     * Begins a series of frames: until {@link #uncork} the link may keep back what it accepts, to send several frames together. The caller sends
     * the series at once, and ends it also when a frame is refused. A transport need not implement either.
     */
    default void cork() {
        // by default each frame is sent at once
    }

    /** Ends the series that {@link #cork} began, and sends what was kept back. */
    default void uncork() {
        // as above
    }

    /**
     * Reads and sends on the calling thread what can be read and sent now; the handler is called on this thread. A thread that waits for messages
     * calls this repeatedly, so that no other thread has to wake up for them. Does not block; does nothing while another thread reads.
     *
     * <p>The transport's own thread may leave a link that is polled to the threads that poll, unless {@link LinkHandler#isWakeUpNeeded}. It takes the
     * link back some milliseconds after the last call, or the last frame that was sent, or at once by {@link #serve}. A transport without such a mode
     * need not implement either.
     *
     * @return whether anything was read
     */
    default boolean poll() {
        return false;
    }

    /**
     * Returns whether {@link #poll} makes no system call when there is nothing to read. Threads that wait for messages then poll the link more often.
     * The same for the life of the link.
     */
    default boolean isPolledWithoutSystemCall() {
        return false;
    }

    /**
     * Returns whether both ends are processes of one host that may map the same memory. The same at both ends, for the life of the link.
     */
    default boolean sharesMemory() {
        return false;
    }

    /** Makes the transport's own thread serve the link, because no thread polls any more. Safe for any thread; does not block. */
    default void serve() {
        // by default the transport's own thread always serves the link
    }

    /** Returns the maximum length of a frame in bytes; at least 32 KiB. */
    int maxFrame();

    /** Returns the peer's address as text, for messages. */
    String peer();

    /** Returns the certificate that the peer has shown, which is trusted; null when the link has no TLS. */
    default @Nullable X509Certificate peerCertificate() {
        return null;
    }

    /**
     * Returns access to the memory of the peer; null when the transport or the system does not permit it. Both ends of a link have access or neither
     * has, as soon as the link carries frames. Before that, while {@link LinkAcceptor#accept} runs for example, the result may be null.
     */
    default @Nullable BulkAccess bulk() {
        return null;
    }

    /**
     * Sends the frames that were accepted, as far as the peer receives them within a second, then closes the link. {@link LinkHandler#closed}
     * follows. Threads that send or poll meanwhile are not interrupted. Idempotent; does not block.
     */
    void close();
}
