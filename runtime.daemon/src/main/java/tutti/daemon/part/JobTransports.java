package tutti.daemon.part;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transports that jobs may use on this node. The node's own transport carries all control messages and, by default, the messages of jobs; its
 * listener is that of the node. On any other transport, a listener is opened for each job, on a free port of the same network interface.
 */
@Component(service = JobTransports.class)
public final class JobTransports {
    /** Parameter of a job: scheme of the transport between its nodes. */
    public static final String PARAMETER = "transport";
    /** Scheme of the node's own transport, the default of the parameter. */
    public static final String OWN_SCHEME = "tcp";

    private final TransportRegistry registry;
    private final UnaryOperator<Transport> securing;
    private final Transport own;
    private final Transport control;
    private final HostPort address;
    private final InetAddress bound;
    private final LinkAcceptor acceptor;

    /** Creates the transports of a node, those in its container among them. */
    @Activate
    public JobTransports(@Reference(name = "node") final ListeningNode node, @Reference(name = "registry") final TransportRegistry registry) {
        this(registry, node::secured, node.data(), node.control(), node.self().address(), node.bound(), node::acceptRank);
    }

    /**
     * Creates the transports of a node or of a job JVM.
     *
     * @param registry transports in the container
     * @param securing makes of a transport one for links between ranks
     * @param own      node's own transport for these links
     * @param control  the same for links to other nodes
     * @param address  address at which other nodes reach the node's listener
     * @param bound    address to which the node's listener is bound
     * @param acceptor acceptor of the links between the nodes of a job
     */
    JobTransports(final TransportRegistry registry, final UnaryOperator<Transport> securing, final Transport own, final Transport control,
        final HostPort address, final InetAddress bound,
        final LinkAcceptor acceptor) {
        this.registry = registry;
        this.securing = securing;
        this.own = own;
        this.control = control;
        this.address = address;
        this.bound = bound;
        this.acceptor = acceptor;
    }

    /** Returns the transport of links to other nodes. */
    public Transport control() {
        return control;
    }

    /** Returns the schemes in alphabetical order. */
    public List<String> schemes() {
        final TreeSet<String> schemes = new TreeSet<>(registry.schemes());
        schemes.add(OWN_SCHEME);
        return List.copyOf(schemes);
    }

    /**
     * Opens a transport for a part of a job.
     *
     * @return {@link JobTransport#MISSING} when this node does not have a transport of that scheme
     * @throws IOException when the transport cannot listen
     */
    JobTransport open(final String scheme, final TransportRegistry.User user) throws IOException {
        if (scheme.equals(OWN_SCHEME)) {
            return new JobTransport(own, address, null, null);
        }
        final TransportRegistry.Use use = registry.use(scheme, user);
        if (use == null) {
            return JobTransport.MISSING;
        }
        Listener listener = null;
        try {
            final Transport secured = securing.apply(use.transport());
            listener = secured.listen(new InetSocketAddress(bound, 0), acceptor);
            return new JobTransport(secured, reachable(listener.address()), listener, use);
        } catch (final IOException | RuntimeException | LinkageError e) {
            if (listener != null) {
                listener.close();
            }
            use.close();
            // Cause: the transport of the job cannot open its port on this node. Remedy: the reason follows.
            throw new IOException("transport " + scheme + " cannot listen: " + Protocol.oneLine(e), e);
        }
    }

    /**
     * Watches a transport that a job JVM opens, other than the node's own.
     *
     * @return {@link JobTransport#MISSING} when this node does not have a transport of that scheme
     */
    JobTransport watch(final String scheme, final TransportRegistry.User user) {
        final TransportRegistry.Use use = scheme.equals(OWN_SCHEME) ? null : registry.use(scheme, user);
        return use == null ? JobTransport.MISSING : new JobTransport(use.transport(), null, null, use);
    }

    private HostPort reachable(final InetSocketAddress listening) {
        final boolean any = listening.getAddress() != null && listening.getAddress().isAnyLocalAddress();
        return new HostPort(any ? address.host() : listening.getHostString(), listening.getPort());
    }
}
