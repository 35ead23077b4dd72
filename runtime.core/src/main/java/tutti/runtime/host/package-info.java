/**
 * The part of a job that runs on this node: the processes of its ranks, joined with their mailboxes and with the links to the other nodes.
 *
 * <pre>{@code
 * RuntimeJobHost (service JobHost) -> HostedJob -> RankProcess (threads of a rank), MpiRankLoader (class loader of a rank)
 *                                               -> JobRanks -> Rank, Mailbox, JobNetwork -> Transport
 *                                                           -> ConnectedJobs (links to nodes of other jobs)
 *                                               -> JobListener (daemon): output, inputWanted, traced, reported, rankEnded, nodeLost
 * }</pre>
 */
@NullMarked
package tutti.runtime.host;

import org.jspecify.annotations.NullMarked;
