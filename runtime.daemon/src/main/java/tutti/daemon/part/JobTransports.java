package tutti.daemon.part;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transports that jobs may use on this node. The node's own transport carries all control messages and, by default, the messages of jobs between
 * hosts; its listener is that of the node. On any other transport, a listener is opened for each job, on a free port of the same network interface.
 */
@Component(service = JobTransports.class)
public final class JobTransports {
    /** Parameter of a job: schemes of the transports between its nodes, of which two nodes use the first one that links them. */
    public static final String PARAMETER = "transport";
    /** Default of the parameter: shared memory within a host, which need not be there, and the node's own transport. */
    public static final List<String> DEFAULT = List.of("shm", Endpoint.TCP);

    private static final Logger LOG = LoggerFactory.getLogger(JobTransports.class);

    private final TransportRegistry registry;
    private final UnaryOperator<Transport> securing;
    private final Transport own;
    private final Transport control;
    private final HostPort address;
    private final InetAddress bound;
    private final LinkAcceptor acceptor;
    private final LinkAcceptor acceptorWithinHost;

    /** Creates the transports of a node, those in its container among them. */
    @Activate
    public JobTransports(@Reference(name = "node") final ListeningNode node, @Reference(name = "registry") final TransportRegistry registry,
        @Reference(name = "host") final JobHost host) {
        this(registry, node::secured, node.data(), node.control(), node.self().address(), node.bound(), node::acceptRank, host.acceptor());
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
     * @param acceptorWithinHost the same for links that never leave the host, and have no certificates
     */
    JobTransports(final TransportRegistry registry, final UnaryOperator<Transport> securing, final Transport own, final Transport control,
        final HostPort address, final InetAddress bound, final LinkAcceptor acceptor, final LinkAcceptor acceptorWithinHost) {
        this.registry = registry;
        this.securing = securing;
        this.own = own;
        this.control = control;
        this.address = address;
        this.bound = bound;
        this.acceptor = acceptor;
        this.acceptorWithinHost = acceptorWithinHost;
    }

    /** Returns the transport of links to other nodes. */
    public Transport control() {
        return control;
    }

    /** Returns the schemes that a job names, the preferred one first. */
    public static List<String> schemes(final Map<String, String> parameters) {
        final String given = parameters.get(PARAMETER);
        return given == null ? DEFAULT : named(given);
    }

    /** Returns the schemes that a value of the parameter names. */
    public static List<String> named(final String value) {
        return Arrays.stream(value.split(",")).map(String::strip).filter(s -> !s.isEmpty()).distinct().toList();
    }

    /** Returns the schemes in alphabetical order. */
    public List<String> schemes() {
        final TreeSet<String> schemes = new TreeSet<>(registry.schemes());
        schemes.add(Endpoint.TCP);
        return List.copyOf(schemes);
    }

    /** Returns what nodes have in common that reach each other, by scheme, for those transports that do not reach all. */
    public Map<String, String> reach() {
        final Map<String, String> reach = new TreeMap<>();
        registry.schemes().forEach(scheme -> {
            try {
                final String of = registry.reach(scheme);
                if (!of.isEmpty()) {
                    reach.put(scheme, of);
                }
            } catch (final IOException | RuntimeException e) {
                LOG.debug("transport cannot be used: scheme={}", scheme, e);
            }
        });
        return reach;
    }

    /** Returns why transports cannot be used on this node, with what to do. */
    public List<String> unusable() {
        final List<String> reasons = new ArrayList<>();
        registry.schemes().forEach(scheme -> {
            try {
                registry.reach(scheme);
            } catch (final IOException | RuntimeException e) {
                reasons.add("transport " + scheme + " cannot be used: " + Protocol.oneLine(e));
            }
        });
        return reasons;
    }

    /**
     * Opens those of a part's transports that this node has.
     *
     * @param schemes the preferred one first
     * @return in the same order; the caller closes them
     * @throws IOException when none can be used, and one of them failed
     */
    List<JobTransport> open(final List<String> schemes, final TransportRegistry.User user) throws IOException {
        final List<JobTransport> opened = new ArrayList<>();
        IOException failure = null;
        for (final String scheme : schemes) {
            try {
                open(scheme, user).ifPresent(opened::add);
            } catch (final IOException e) {
                failure = e;
                if (schemes.size() > 1) {
                    LOG.info("a transport is not used: {}", e.getMessage());
                }
            }
        }
        if (opened.isEmpty() && failure != null) {
            throw failure;
        }
        return opened;
    }

    private Optional<JobTransport> open(final String scheme, final TransportRegistry.User user) throws IOException {
        if (scheme.equals(Endpoint.TCP)) {
            return Optional.of(new JobTransport(own, Endpoint.tcp(address.host(), address.port()), null, null));
        }
        final TransportRegistry.Use use = registry.use(scheme, user);
        if (use == null) {
            return Optional.empty();
        }
        Listener listener = null;
        try {
            final Transport transport = use.transport();
            final String reach = transport.reach();
            final Transport used = transport.isWithinHost() ? transport : securing.apply(transport);
            listener = used.listen(new InetSocketAddress(bound, 0), transport.isWithinHost() ? acceptorWithinHost : acceptor);
            return Optional.of(new JobTransport(used, reachable(scheme, reach, listener.address()), listener, use));
        } catch (final IOException | RuntimeException | LinkageError e) {
            if (listener != null) {
                listener.close();
            }
            use.close();
            // Cause: the transport of the job cannot open its port on this node. Remedy: the reason follows.
            throw new IOException("transport " + scheme + " cannot listen: " + Protocol.oneLine(e), e);
        }
    }

    /** Watches the transports that a job JVM opens, other than the node's own; the caller closes the uses. */
    List<TransportRegistry.Use> watch(final List<String> schemes, final TransportRegistry.User user) {
        return schemes.stream().filter(s -> !s.equals(Endpoint.TCP)).map(s -> registry.use(s, user)).filter(Objects::nonNull).toList();
    }

    /** Removes what a process of a job that was killed has left of its transports. */
    void removeRemains() {
        registry.all().forEach(Transport::removeRemains);
    }

    private Endpoint reachable(final String scheme, final String reach, final InetSocketAddress listening) {
        final boolean any = listening.getAddress() != null && listening.getAddress().isAnyLocalAddress();
        return new Endpoint(scheme, reach, any ? address.host() : listening.getHostString(), listening.getPort());
    }
}
