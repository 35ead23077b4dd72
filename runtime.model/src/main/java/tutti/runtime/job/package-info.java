/**
 * The interface of the daemon to the part of a job that runs on this node.
 *
 * <pre>{@code
 * daemon -> JobHost.prepare(JobSpec, JobListener) -> LocalJob: connect, start, input, cancel, ended
 * daemon <- JobListener: output, inputWanted, traced, rankEnded, nodeLost;  RankServices (of JobServices): publish, lookup, spawn, replace,
 *                         inFinalize, checkpointed
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.job;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
