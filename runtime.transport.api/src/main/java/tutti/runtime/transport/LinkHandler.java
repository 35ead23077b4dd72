package tutti.runtime.transport;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives the events of a link. Calls for one link do not overlap, except of {@link #isWakeUpNeeded}. They are made on a thread of the transport,
 * or on one that {@linkplain Link#poll polls}, and must not block: a handler that blocks stops every link of that thread.
 */
@ConsumerType
public interface LinkHandler {

    /**
     * Receives a whole frame. The memory belongs to the transport and is valid only during the call. An exception closes the link.
     *
     * @param memory holds the frame from {@code offset} on, {@code bytes} long (1 to {@link Link#maxFrame()})
     */
    void frame(Link link, MemorySegment memory, long offset, int bytes);

    /**
     * Returns whether threads wait for messages of this link and none of them polls, so that only a thread of the transport can wake them. Otherwise
     * the transport may leave the link to the threads that poll. When this begins, {@link Link#serve} is called. Any thread; may change at any time.
     */
    default boolean isWakeUpNeeded() {
        return true;
    }

    /** Notifies that the link accepts frames again after {@link Link#trySend} returned false. May be called more often than that. */
    void writable(Link link);

    /**
     * Notifies that the link is closed: once, as the last call. Frames that {@link Link#trySend} accepted may not have arrived.
     *
     * @param cause the cause; null when this node closed the link
     */
    void closed(Link link, @Nullable Throwable cause);
}
