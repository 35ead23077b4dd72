/**
 * Views of a node and its cluster: for other bundles of its container, such as the live page, metrics and health checks, and for commands.
 *
 * <pre>{@code
 * NodeMonitor -> NodeReport, JobRecord, NodeCounts, ClusterHealth
 * ClusterView (a NodeMonitor) -> LostNode, JobActivity, JobMeasurements
 * ClusterRequests: requests of commands, in a conversation
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
