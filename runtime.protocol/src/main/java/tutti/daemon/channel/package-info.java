/**
 * Channels that carry the control protocol: typed calls in conversations, with streams of bytes under flow control.
 *
 * <pre>{@code
 * caller   Conversation.peer(type).method(...) -> CallMethod -> ControlChannel -> frames on a Link
 * server   Link -> ControlChannel -> CallMethod -> object given to Conversation.serve
 * streams  InputStream, such as a BytePipe or ProgramFiles.stream -> OutgoingStream ... IncomingStream
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.channel;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
