/**
 * Dynamic process management: communicators of ranks of several jobs, by accept and connect, join, and spawn.
 *
 * <pre>{@code
 * Communicator: accept, connect, join, spawn -> GroupMeeting -> Meeting: MeetingLink (over a port), PeerMeeting (in a communicator)
 *                                                            -> SocketGreeting (join)
 *                                                            -> GroupDescription: JobDescriptions, ranks
 * GroupMeeting -> ConnectedJobs -> ConnectedJob -> PeerNode, JobNetwork          numbers of ranks, links to nodes of other jobs
 *                               -> JobPorts: PortName -> MeetingLink             ports, and connections to them
 * }</pre>
 */
@NullMarked
package tutti.runtime.dpm;

import org.jspecify.annotations.NullMarked;
