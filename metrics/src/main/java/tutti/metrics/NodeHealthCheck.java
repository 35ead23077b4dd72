package tutti.metrics;

import org.apache.felix.hc.api.FormattingResultLog;
import org.apache.felix.hc.api.HealthCheck;
import org.apache.felix.hc.api.Result;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;
import tutti.runtime.module.QuarantinedModule;

/**
 * Health of the container's node for Felix Health Checks. There is none while the node does not listen. Safe for any thread.
 */
@Component(service = HealthCheck.class, property = {HealthCheck.NAME + "=Tutti node", HealthCheck.TAGS + "=tutti"})
public final class NodeHealthCheck implements HealthCheck {
    private static final double MOST_HEAP = 0.95;
    private static final long MIB = 1L << 20;

    private final NodeMonitor node;

    /** Creates the check of a node. */
    @Activate
    public NodeHealthCheck(@Reference(name = "node", target = "(" + NodeProperties.ADDRESS + "=*)") final NodeMonitor node) {
        this.node = node;
    }

    @Override
    public Result execute() {
        final FormattingResultLog log = new FormattingResultLog();
        final NodeReport report = node.report();
        log.info("node {} listens on {}: nodes={}, jobs={}, ranks={}", report.node().name(), report.node().address(), node.counts().members(),
            report.jobs().size(), report.ranks());
        if (report.load().heapUsed() > MOST_HEAP * report.load().heapMax()) {
            // Cause: a [health check](metrics.md) finds less than a twentieth free.
            log.warn("heap is used up: {} of {} MiB; give the JVM more: TUTTI_DAEMON_OPTS=-Xmx1g", report.load().heapUsed() / MIB,
                report.load().heapMax() / MIB);
        }
        report.warnings().forEach(w -> log.warn("{}", w));
        // Cause: a [health check](metrics.md) finds less than a twentieth free, while a module is in quarantine.
        report.catalogue().quarantine().stream().filter(QuarantinedModule::isActive)
            .forEach(q -> log.warn("module {} is in quarantine: {}; update it, or uninstall it", q.module(), q.reason()));
        return new Result(log);
    }
}
