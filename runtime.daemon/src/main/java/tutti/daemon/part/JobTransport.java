package tutti.daemon.part;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.HostPort;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/** Transport of a job's part on this node, with the listener for the links from the job's other nodes. Safe for any thread. */
final class JobTransport implements AutoCloseable {
    /** Result for a node that does not have the transport of a job. */
    static final JobTransport MISSING = new JobTransport(null, null, null, null);

    private static final Logger LOG = LoggerFactory.getLogger(JobTransport.class);

    private final @Nullable Transport transport;
    private final @Nullable HostPort address;
    /** Null where the listener is open as long as the node is. */
    private final @Nullable Listener listener;
    private final TransportRegistry.@Nullable Use use;

    /** Creates the use of a transport, with a listener for one job that other nodes reach at {@code address}. */
    JobTransport(final @Nullable Transport transport, final @Nullable HostPort address, final @Nullable Listener listener,
        final TransportRegistry.@Nullable Use use) {
        this.transport = transport;
        this.address = address;
        this.listener = listener;
        this.use = use;
    }

    /** Creates the use of a transport whose listener is open as long as the node is. */
    JobTransport(final Transport transport, final HostPort address) {
        this(transport, address, null, null);
    }

    /** Returns the transport; null when this node does not have it. */
    @Nullable
    Transport transport() {
        return transport;
    }

    /** Returns the address at which other nodes reach the listener; null when this node does not have the transport. */
    @Nullable
    HostPort address() {
        return address;
    }

    /** Closes the listener if it serves this job alone. Links that it accepted stay open. Idempotent. */
    void stopListening() {
        if (listener != null) {
            try {
                listener.close();
            } catch (final RuntimeException e) {
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
