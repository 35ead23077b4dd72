package tutti.metrics;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;

/**
 * Metrics of the container's node while it listens: the page for Prometheus, and the MBean. A page that cannot be served is logged, and the MBean is
 * there without it.
 */
@Component(service = {}, immediate = true, configurationPid = NodeMetrics.PID)
@Designate(ocd = MetricsConfiguration.class)
public final class NodeMetrics {
    static final String PID = "tutti.metrics";
    private static final Logger LOG = LoggerFactory.getLogger(NodeMetrics.class);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final NodeMeters meters;
    private final @Nullable MetricsServer server;
    private final ObjectName name;

    /**
     * Starts to measure a node.
     *
     * @throws JMException when the MBean cannot be registered
     */
    @Activate
    public NodeMetrics(final BundleContext context,
        @Reference(name = "node", target = "(" + NodeProperties.ADDRESS + "=*)") final NodeMonitor node, final Map<String, ?> configuration)
        throws JMException {
        final NodeSample sample = new NodeSample(node, System::nanoTime);
        final String of = sample.report().node().name();
        registry.config().commonTags("node", of);
        meters = new NodeMeters(sample, registry);
        server = serve(registry, value("listen", configuration, context, MetricsConfiguration.LISTEN),
            Boolean.parseBoolean(value("insecure", configuration, context, "false")));
        if (server != null) {
            LOG.info("metrics of node {}: {}", of, server.url());
        }
        name = new ObjectName("tutti:type=Node,name=" + of);
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new NodeStatistics(sample, server == null ? "" : server.url()), name);
        } catch (final JMException e) {
            // another node of this JVM has the name
            release();
            throw e;
        }
    }

    private static String value(final String attribute, final Map<String, ?> configuration, final BundleContext context, final String byDefault) {
        final Object value = configuration.containsKey(attribute) ? configuration.get(attribute) : context.getProperty(PID + "." + attribute);
        return value == null || value.toString().isBlank() ? byDefault : value.toString().strip();
    }

    /** Returns the server of the page; null if it cannot be served, which is logged. */
    static @Nullable MetricsServer serve(final PrometheusMeterRegistry registry, final String listen, final boolean isInsecure) {
        try {
            final InetSocketAddress address = HostPort.parse(listen).socketAddress();
            if (address.isUnresolved()) {
                throw new IOException("the name has no address");
            }
            if (!isInsecure && !address.getAddress().isLoopbackAddress()) {
                throw new IOException("everybody who reaches the address could read it; permit that with " + PID + ".insecure=true");
            }
            return new MetricsServer(registry, address);
        } catch (final IOException | IllegalArgumentException e) {
            // Cause: the port is taken, the name has no address, or others could read the page. Remedy: another port, or [`insecure`](metrics.md).
            LOG.warn("metrics are not served: {}.listen={}: {}; choose another address, port 0 for any port", PID, listen, e.getMessage());
            return null;
        }
    }

    @Deactivate
    void close() throws JMException {
        final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        if (beans.isRegistered(name)) {
            beans.unregisterMBean(name);
        }
        release();
    }

    private void release() {
        if (server != null) {
            server.close();
        }
        meters.close();
        registry.close();
    }
}
