package tutti.daemon.part;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.HostPort;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport of a job's part on this node, with the listener for the links from the job's other nodes. Safe for any thread.
 *
 * @param transport the transport; null when this node does not have it
 * @param address   address at which other nodes reach the listener; null when this node does not have it
 * @param listener  listener for this job alone; null where there is none
 * @param use       use of a transport that may go away; null for the node's own
 */
record JobTransport(@Nullable Transport transport, @Nullable HostPort address, @Nullable Listener listener, TransportRegistry.@Nullable Use use)
    implements
        AutoCloseable {
    /** Result for a node that does not have the transport of a job. */
    static final JobTransport MISSING = new JobTransport(null, null, null, null);

    private static final Logger LOG = LoggerFactory.getLogger(JobTransport.class);

    /** Closes the listener if it serves this job alone. Links that it accepted stay open. Idempotent. */
    void stopListening() {
        if (listener != null) {
            try {
                listener.close();
            } catch (final RuntimeException e) {
                // Cause: the transport of a job failed while it closed. Remedy: report it to the author of the transport.
                LOG.warn("listener cannot be closed: address={}", address, e);
            }
        }
    }

    /** Ends the use. Idempotent. */
    @Override
    public void close() {
        if (use != null) {
            stopListening();
            use.close();
        }
    }
}
