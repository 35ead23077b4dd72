/**
 * Services by which other bundles of a node's container observe the node and its cluster: the live page, metrics, health checks.
 *
 * <pre>{@code
 * NodeMonitor -> NodeReport, JobRecord, NodeCounts, ClusterHealth
 * ClusterView (a NodeMonitor) -> LostNode, JobActivity, JobMeasurements
 * ExplainProgram: arguments of the job of tutti explain
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.monitor;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
