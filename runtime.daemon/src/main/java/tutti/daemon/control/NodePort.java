package tutti.daemon.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.LinkAdmission;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.PortRange;
import tutti.daemon.part.JobTransports;
import tutti.daemon.security.ClusterCertificate;
import tutti.daemon.security.Credential;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.job.JobHost;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/** Port of a node, on which it listens; has the node's addresses, credential and transports. Safe for any thread. */
final class NodePort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodePort.class);

    private final Transport transport;
    /** Null if everybody may do everything. */
    private final @Nullable Credential own;
    private final Transport control;
    private final LinkAdmission admission;
    private final Listener listener;
    private final NodeInfo self;

    /**
     * Starts to listen.
     *
     * @param host   accepts links between ranks
     * @param opened completes with the servers of all other links when the node can serve them; exceptionally when it cannot start
     * @throws IOException when the port cannot be opened; says why
     */
    NodePort(final NodeSettings settings, final Transport transport, final JobHost host, final CompletableFuture<LinkAdmission.Servers> opened)
        throws IOException {
        final String name = settings.name();
        final InetSocketAddress address = settings.listen().socketAddress();
        this.transport = transport;
        this.own = settings.access().credential(address);
        if (own instanceof final ClusterCertificate certificate && !certificate.name().equals(name)) {
            throw new IOException("the certificate is that of node " + certificate.name() + ", this one is " + name + "; make one for it: "
                + "tutti secure node " + name);
        }
        this.control = own == null ? transport : own.over(transport);
        this.admission = new LinkAdmission(name, own, opened, this::ports, host.acceptor());
        final HostPort advertised = advertised(settings, address.getAddress());
        this.listener = (address.getPort() == 0 ? settings.ports() : new PortRange(address.getPort(), address.getPort()))
            .open(port -> data().listen(new HostPort(settings.listen().host(), port).socketAddress(), admission));
        this.self = new NodeInfo(name, HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()), advertised.host(),
            advertised.port() == 0 ? listener.address().getPort() : advertised.port(), ProcessHandle.current().pid(),
            System.getProperty("java.version"), Integer.getInteger("tutti.cores", Runtime.getRuntime().availableProcessors()),
            System.currentTimeMillis());
    }

    /** Returns the address at which other nodes reach this one; its port is 0 if that is the one on which the node listens. */
    private static HostPort advertised(final NodeSettings settings, final @Nullable InetAddress requested) throws IOException {
        final HostPort advertised = settings.advertise();
        if (advertised != null) {
            return advertised;
        }
        return new HostPort(requested != null && requested.isAnyLocalAddress() ? InetAddress.getLocalHost().getHostAddress()
            : settings.listen().host(), 0);
    }

    /** Returns the ports at which others may reach the node. */
    private Set<Integer> ports() {
        final int bound = listener.address().getPort();
        return bound == self.port() ? Set.of(bound) : Set.of(bound, self.port());
    }

    /** Returns this node, as it was when it began to listen. */
    NodeInfo self() {
        return self;
    }

    /** Returns the address to which the port is bound. */
    InetAddress bound() {
        return listener.address().getAddress();
    }

    /** Returns the credential of the node; null if everybody may do everything. */
    @Nullable
    Credential credential() {
        return own;
    }

    /** Returns whether nodes and commands show certificates. */
    boolean isByCertificate() {
        return own instanceof ClusterCertificate;
    }

    /** Returns the transport of links to other nodes, which carry control messages. */
    Transport control() {
        return control;
    }

    /** Returns the transport of links between ranks. */
    Transport data() {
        return secured(transport);
    }

    /** Returns a transport with certificates, if there are some: these hold for all links, a signature for the hello of control links. */
    private Transport secured(final Transport plain) {
        return own instanceof final ClusterCertificate certificate ? certificate.over(plain) : plain;
    }

    /** Returns the transports of jobs on this node. */
    JobTransports transports(final ContainerServices services) {
        return new JobTransports(services.registry(), this::secured, data(), control, self.address(), bound(), admission::acceptRank);
    }

    /** Returns whether an address is that of this node. */
    boolean isOwn(final HostPort address) {
        if (address.equals(self.address())) {
            return true;
        }
        final InetAddress bound = bound();
        final InetAddress asked = address.socketAddress().getAddress();
        try {
            return asked != null && address.port() == listener.address().getPort()
                && (asked.equals(bound) || bound.isAnyLocalAddress() && NetworkInterface.getByInetAddress(asked) != null);
        } catch (final SocketException e) {
            LOG.debug("network interfaces cannot be read", e);
            return false;
        }
    }

    /** Stops to listen. */
    @Override
    public void close() {
        listener.close();
    }
}
