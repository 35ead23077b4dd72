/**
 * Metrics and health of a container's node: a page for Prometheus, an MBean and a health check.
 *
 * <pre>{@code
 * NodeMonitor (service of the daemon) -> NodeSample (once a second at the most)
 * NodeSample -> NodeMeters (Micrometer) -> MetricsServer (HTTP);  NodeStatistics (JMX);  NodeHealthCheck (Felix)
 * }</pre>
 */
@NullMarked
package tutti.metrics;

import org.jspecify.annotations.NullMarked;
