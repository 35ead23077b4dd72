package tutti.runtime.transport;

import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Gets what a link has to say. Calls for one link come one at a time, on a thread of the transport, and must not block: a handler that
 * blocks stops every link of that thread.
 */
@ConsumerType
public interface LinkHandler {

    /**
     * A whole frame arrived. The memory is the transport's and is valid only during the call. An exception closes the link.
     *
     * @param memory holds the frame from {@code offset} on, {@code bytes} long (1 to {@link Link#maxFrame()})
     */
    void frame(Link link, MemorySegment memory, long offset, int bytes);

    /** After {@link Link#trySend} said no: there is room again. May come more often than that. */
    void writable(Link link);

    /**
     * The link is gone, once and last. Frames that were accepted by {@link Link#trySend} may not have arrived.
     *
     * @param cause why; null when this side closed it
     */
    void closed(Link link, Throwable cause);
}
