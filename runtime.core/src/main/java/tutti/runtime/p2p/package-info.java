/**
 * Point-to-point messages between the ranks of a communicator.
 *
 * <pre>{@code
 * PointToPoint -> SendRequest, ReceiveRequest, ProbeRequest -> Mailbox
 *              -> MatchedMessage (mprobe), AttachedBuffer (buffered sends)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.p2p;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
