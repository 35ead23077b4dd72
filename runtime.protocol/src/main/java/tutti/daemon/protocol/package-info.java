/**
 * Control protocol between commands and daemons, and between daemons: messages, frames and flow control.
 *
 * <pre>{@code
 * sender   post(Message) -> ControlChannel -> MessageCodec -> frames on a Link
 * receiver Link -> ControlChannel -> ChannelReceiver.message, program, output, trace, input
 * ProgramSender -> Credits -> postProgram ... program -> ProgramStore -> CreditBatch -> postProgramCredit
 * }</pre>
 */
@Export
@Version("0.1.0")
package tutti.daemon.protocol;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
