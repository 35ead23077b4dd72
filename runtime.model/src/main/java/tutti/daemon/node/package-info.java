/**
 * Nodes and jobs as daemons and commands describe them to each other and to users.
 *
 * <pre>{@code
 * NodeReport -> NodeInfo (name, HostPort), NodeLoad -> ProofCounts, JobInfo
 * JobRecord: a job of now or the past
 * NodeProperties: names of a node's properties;  ExitStatus: exit statuses of commands
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.node;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
