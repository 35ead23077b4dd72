package tutti.daemon.control;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.job.ParameterSource;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.TransportRegistry;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.ConfiguredNode;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.transport.Transport;

/**
 * Start of this node: listens while the container has a {@link ConfiguredNode} and all that a node uses, and publishes the {@link ListeningNode} and
 * its {@link Cluster}, which the other components need. When the node cannot start, this component registers itself with the reason.
 */
@Component(service = {}, immediate = true, reference = {
    @Reference(name = "registry", service = TransportRegistry.class), @Reference(name = "modules", service = NodeCatalogue.class),
    @Reference(name = "store", service = ModuleStore.class), @Reference(name = "parameters", service = ParameterSource.class)})
public final class NodeStart {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStart.class);

    private final BundleContext context;
    private final NodeSettings settings;
    private final Transport transport;
    private final JobHost host;
    private final MembershipProvider membership;
    /** Steps that end the node, the first one first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();

    /** Creates the start of a node, which does not listen yet. */
    @Activate
    public NodeStart(final BundleContext context,
        @Reference(name = "configured", target = ConfiguredNode.READY) final ConfiguredNode configured,
        @Reference(name = "transport", target = "(" + Transport.SCHEME + "=" + Endpoint.TCP + ")") final Transport transport,
        @Reference(name = "host") final JobHost host, @Reference(name = "membership") final MembershipProvider membership) {
        this.context = context;
        this.settings = configured.settings();
        this.transport = transport;
        this.host = host;
        this.membership = membership;
    }

    /** Starts to listen, alone in the cluster of the node. */
    @Activate
    void open() {
        NodeFolder.sweep(settings.folder());
        try {
            final ListeningNode node = new ListeningNode(settings, context.getBundle().getVersion().toString(), transport, host.acceptor());
            ends.push(node::close);
            final Cluster cluster = new Cluster(node, membership);
            ends.push(cluster::leave);
            publish(ListeningNode.class, node);
            publish(Cluster.class, cluster);
        } catch (final IOException | RuntimeException e) {
            fail(e);
        }
    }

    private <T> void publish(final Class<T> type, final T service) {
        ends.push(context.registerService(type, service, null)::unregister);
    }

    /** Logs and publishes why the node cannot start. The launcher of a container that has no other purpose reports it itself. */
    private void fail(final Exception e) {
        if (settings.stop() == NodeSettings.Stop.FRAMEWORK) {
            LOG.info("node cannot start", e);
        } else {
            // Cause: the address is taken, or a secret, certificate or folder cannot be read. Remedy: the reason is in the message.
            LOG.error("node {} cannot start, change configuration {}: {}", settings.name(), NodeProperties.PID, Protocol.oneLine(e));
        }
        close();
        ends.push(context.registerService(NodeStart.class, this,
            FrameworkUtil.asDictionary(Map.of(NodeProperties.NAME, settings.name(), NodeProperties.FAILURE, Protocol.oneLine(e))))::unregister);
    }

    /** Stops the other components, and then to listen. */
    @Deactivate
    void close() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}
