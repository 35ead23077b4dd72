/**
 * Point-to-point matching: the posted receive queue and the unexpected message queue of each rank.
 *
 * <pre>{@code
 * Send, RendezvousMessage, EagerMessage (IncomingMessage) -> Mailbox (SendTarget) <- Receive, Probe
 *                                                            Mailbox -> MatchQueue (MatchEntry)   posted receives, unexpected messages
 *                                                            Mailbox -> UnexpectedMessage         copy of a small message
 * MessageOperation -> complete -> CompletionHandler          on the owner of the home mailbox
 * }</pre>
 */
@NullMarked
package tutti.runtime.match;

import org.jspecify.annotations.NullMarked;
