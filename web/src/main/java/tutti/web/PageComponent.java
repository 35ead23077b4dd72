package tutti.web;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.node.NodeProperties;

/**
 * Serves the live page while the container has a node that listens, on the port that is set. When it does, it registers a service with the address of
 * the page, {@link NodeProperties#PAGE_ADDRESS}.
 */
@Component(service = {}, immediate = true, configurationPid = PageComponent.PID, configurationPolicy = ConfigurationPolicy.OPTIONAL)
@Designate(ocd = PageConfiguration.class)
public final class PageComponent {
    /** PID of the configuration. */
    static final String PID = "tutti.web";
    private static final Logger LOG = LoggerFactory.getLogger(PageComponent.class);
    private static final String PORT = "port";

    private final @Nullable PageServer server;
    private final @Nullable ServiceRegistration<PageComponent> registration;

    /** Starts the server, if a port is set. */
    @Activate
    public PageComponent(final BundleContext context, final Map<String, Object> configuration,
        @Reference(name = "cluster", target = "(" + NodeProperties.ADDRESS + "=*)") final ClusterView cluster) {
        final Object configured = configuration.get(PORT);
        final Object port = configured == null ? context.getProperty(NodeProperties.PAGE_PORT) : configured;
        server = port == null ? null : start(port.toString(), cluster);
        registration = server == null ? null : context.registerService(PageComponent.class, this, FrameworkUtil.asDictionary(
            Map.of(NodeProperties.PAGE_ADDRESS, server.address())));
    }

    private static @Nullable PageServer start(final String port, final ClusterView cluster) {
        final String node = cluster.name();
        try {
            final PageServer started = PageServer.start(Integer.parseInt(port.strip()), cluster);
            LOG.info("node {} serves its live page on {}; open the address that 'tutti page' prints", node, started.address());
            return started;
        } catch (final IOException | IllegalArgumentException e) {
            // Cause: the port is taken.
            LOG.error("node {} serves no live page: {}={}, reason={}; set another port, or 0 for any free one", node, NodeProperties.PAGE_PORT, port,
                e.getMessage());
            return null;
        }
    }

    /** Stops the server. */
    @Deactivate
    void close() {
        if (registration != null) {
            registration.unregister();
        }
        if (server != null) {
            server.close();
        }
    }
}
