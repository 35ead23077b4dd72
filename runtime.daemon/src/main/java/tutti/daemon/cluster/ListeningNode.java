package tutti.daemon.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.PortRange;
import tutti.daemon.security.ClusterCertificate;
import tutti.daemon.security.Credential;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * This node, which listens on its port: has its settings, addresses, credential and transports. Published as a service while it listens; all
 * components of the node need it. Links that arrive before {@link #open} wait for it. Safe for any thread.
 */
public final class ListeningNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ListeningNode.class);

    private final NodeSettings settings;
    private final String version;
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
     * @param version   version of the node's bundle
     * @param transport transport of the port
     * @param ranks     accepts links between ranks
     * @throws IOException when the port cannot be opened; says why
     */
    public ListeningNode(final NodeSettings settings, final String version, final Transport transport, final LinkAcceptor ranks)
        throws IOException {
        final String name = settings.name();
        final InetSocketAddress address = settings.listen().socketAddress();
        this.settings = settings;
        this.version = version;
        this.transport = transport;
        this.own = settings.access().credential(address);
        if (own instanceof final ClusterCertificate certificate && !certificate.name().equals(name)) {
            throw new IOException("the certificate is that of node " + certificate.name() + ", this one is " + name + "; make one for it: "
                + "tutti secure node " + name);
        }
        this.control = own == null ? transport : own.over(transport);
        this.admission = new LinkAdmission(name, own, ranks);
        final HostPort advertised = advertised(settings, address.getAddress());
        this.listener = (address.getPort() == 0 ? settings.ports() : new PortRange(address.getPort(), address.getPort()))
            .open(port -> data().listen(new HostPort(settings.listen().host(), port).socketAddress(), admission));
        this.self = new NodeInfo(name, HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()), advertised.host(),
            advertised.port() == 0 ? listener.address().getPort() : advertised.port(), ProcessHandle.current().pid(),
            System.getProperty("java.version"), Integer.getInteger("tutti.cores", Runtime.getRuntime().availableProcessors()),
            System.currentTimeMillis());
        LOG.info("node {} listens on {}", name, self.address());
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

    /** Lets links in, which these serve. */
    public void open(final LinkAdmission.Servers servers) {
        final int bound = listener.address().getPort();
        admission.open(servers, bound == self.port() ? Set.of(bound) : Set.of(bound, self.port()));
    }

    /** Accepts a link between ranks, on any transport. */
    public LinkHandler acceptRank(final Link link, final Hello hello) throws RefusedException {
        return admission.acceptRank(link, hello);
    }

    /** Returns the name of the node. */
    public String name() {
        return settings.name();
    }

    /** Returns the settings of the node. */
    public NodeSettings settings() {
        return settings;
    }

    /** Returns the version of the node's bundle. */
    public String version() {
        return version;
    }

    /** Returns this node, as it was when it began to listen. */
    public NodeInfo self() {
        return self;
    }

    /** Returns the address to which the port is bound. */
    public InetAddress bound() {
        return listener.address().getAddress();
    }

    /** Returns the credential of the node; null if everybody may do everything. */
    @Nullable
    public Credential credential() {
        return own;
    }

    /** Returns whether nodes and commands show certificates. */
    public boolean isByCertificate() {
        return own instanceof ClusterCertificate;
    }

    /** Returns the transport of the port, without credentials. */
    public Transport transport() {
        return transport;
    }

    /** Returns the transport of links to other nodes, which carry control messages. */
    public Transport control() {
        return control;
    }

    /** Returns the transport of links between ranks. */
    public Transport data() {
        return secured(transport);
    }

    /** Returns a transport with certificates, if there are some: these hold for all links, a signature for the hello of control links. */
    public Transport secured(final Transport plain) {
        return own instanceof final ClusterCertificate certificate ? certificate.over(plain) : plain;
    }

    /** Returns whether an address is that of this node. */
    public boolean isOwn(final HostPort address) {
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

    /** Stops to listen. Idempotent; refuses links that wait. */
    @Override
    public void close() {
        listener.close();
        admission.close();
    }
}
