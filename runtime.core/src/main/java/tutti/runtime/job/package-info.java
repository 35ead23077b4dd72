/**
 * The part of a job that runs on one node, with its interface to the daemon.
 *
 * <pre>{@code
 * daemon -> JobHost.prepare(JobSpec) -> LocalJob: connect, start, input, cancel, ended
 * HostedJob -> RankProcess (thread and class loader of a rank)
 *           -> JobRanks -> Rank, Mailbox, JobNetwork -> Transport
 *           -> JobListener (daemon): output, inputWanted, traced, rankEnded, nodeLost
 * }</pre>
 */
@Export
@Version("0.1.0")
package tutti.runtime.job;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
