package tutti.daemon.control;

import java.util.HashMap;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.clusterinfo.NodeStatus;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;

/**
 * Publishes each node of the cluster as a service {@link NodeStatus} of this container, by the OSGi Cluster Information specification. The service's
 * id is the node's name and incarnation. Safe for any thread.
 */
@Component(service = {}, immediate = true)
public final class NodeStatusPublisher implements Cluster.Listener {
    private static final String PREFIX = "osgi.clusterinfo.";
    private static final String CLUSTER = "tutti";

    private final BundleContext context;
    private final Cluster cluster;
    private final NodeReports reports;
    private final Map<NodeInfo, ServiceRegistration<NodeStatus>> published = new HashMap<>();
    private boolean isOpen = true;

    /** Begins to publish. */
    @Activate
    public NodeStatusPublisher(final BundleContext context, @Reference(name = "cluster") final Cluster cluster,
        @Reference(name = "reports") final NodeReports reports) {
        this.context = context;
        this.cluster = cluster;
        this.reports = reports;
        cluster.listen(this);
        publish();
    }

    /** Publishes the nodes that there are now, on another thread: listeners of services may block. */
    @Override
    public void changed() {
        Thread.ofVirtual().name("tutti-status").start(this::publish);
    }

    private synchronized void publish() {
        if (!isOpen) {
            return;
        }
        final List<NodeInfo> now = cluster.nodes();
        for (final Iterator<Map.Entry<NodeInfo, ServiceRegistration<NodeStatus>>> all = published.entrySet().iterator(); all.hasNext();) {
            final Map.Entry<NodeInfo, ServiceRegistration<NodeStatus>> old = all.next();
            if (!now.contains(old.getKey())) {
                all.remove();
                old.getValue().unregister();
            }
        }
        for (final NodeInfo node : now) {
            published.computeIfAbsent(node, n -> context.registerService(NodeStatus.class, names -> metrics(n, names), properties(n)));
        }
    }

    private Hashtable<String, Object> properties(final NodeInfo node) {
        final Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(PREFIX + "id", node.name() + "-" + node.incarnation());
        properties.put(PREFIX + "cluster", CLUSTER);
        properties.put(PREFIX + "vendor", "Tutti");
        properties.put(PREFIX + "version", context.getBundle().getVersion().toString());
        properties.put(PREFIX + "endpoint", new String[] {"tutti://" + node.address()});
        properties.put(PREFIX + "tags", new String[] {node.name()});
        return properties;
    }

    /** Returns metrics of a node, all when no names are given; none when the node does not answer. Blocks. */
    private Map<String, Object> metrics(final NodeInfo node, final String... names) {
        final NodeReport report = reports.of(node.name());
        final Map<String, Object> metrics = new TreeMap<>();
        if (report != null) {
            metrics.put("cores", report.node().cores());
            metrics.put("ranks", report.ranks());
            metrics.put("jobs", report.jobs().size());
            metrics.put("heap.used", report.load().heapUsed());
            metrics.put("heap.max", report.load().heapMax());
        }
        if (names.length > 0) {
            metrics.keySet().retainAll(List.of(names));
        }
        return metrics;
    }

    /** Withdraws all services. */
    @Deactivate
    synchronized void close() {
        isOpen = false;
        published.values().forEach(ServiceRegistration::unregister);
        published.clear();
    }
}
