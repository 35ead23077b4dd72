/**
 * The messages between the nodes of a job: eager and rendezvous protocol, with flow control by credits.
 *
 * <pre>{@code
 * Send -> PeerNode -> EAGER or RTS, DATA, CREDIT (Frame) -> Link          one PeerNode per remote node; JobNetwork links them
 * Link -> PeerFrameHandler -> EagerMessage, RendezvousMessage -> Mailbox
 * Mailbox matches a RendezvousMessage -> RendezvousReceive, ClearToSend -> PeerNode -> CTS
 *                 or, where the RTS has a key -> BulkRead -> PeerNode reads -> CTS, unless TransferChoice prefers frames
 *                                             -> WRITE, if it prefers that both copy -> BulkWrite of the other node -> WRITTEN
 * }</pre>
 */
@NullMarked
package tutti.runtime.wire;

import org.jspecify.annotations.NullMarked;
