package tutti.daemon.part;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.job.Endpoint;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport of a job's part on this node, with the listener for the links from the nodes of this job and of connected ones. Safe for any thread.
 *
 * @param transport the transport
 * @param endpoint  endpoint of its listener
 * @param listener  listener for this job alone; null where that of the node serves
 * @param use       use of a transport that may go away; null for the node's own
 */
record JobTransport(Transport transport, Endpoint endpoint, @Nullable Listener listener, TransportRegistry.@Nullable Use use)
    implements
        AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobTransport.class);

    /** Closes the listener, and ends the use. Links that it accepted stay open. Idempotent. */
    @Override
    public void close() {
        if (listener != null) {
            try {
                listener.close();
            } catch (final RuntimeException e) {
                // Cause: the transport of a job failed while it closed. Remedy: report it to the author of the transport.
                LOG.warn("listener cannot be closed: endpoint={}", endpoint, e);
            }
        }
        if (use != null) {
            use.close();
        }
    }
}
