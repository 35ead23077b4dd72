/**
 * Channels that carry the control protocol: frames on a link, typed calls in conversations, and bytes under flow control by credits.
 *
 * <pre>{@code
 * Conversation: typed calls and notices of both ends, with streams
 * sender   post(Message) -> ControlChannel -> frames on a Link
 * receiver Link -> ControlChannel -> ChannelReceiver.message, program, output, trace, input
 * ProgramSender -> Credits -> postProgram ... program -> ProgramStore -> CreditBatch -> postProgramCredit
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.channel;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
