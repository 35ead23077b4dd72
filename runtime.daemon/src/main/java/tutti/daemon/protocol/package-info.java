/**
 * Control protocol between commands and daemons, and between daemons: messages, frames and flow control. Not exported.
 *
 * <pre>{@code
 * sender   post(Message) -> ControlChannel -> MessageCodec -> frames on a Link
 * receiver Link -> ControlChannel -> ChannelReceiver.message, program, output, trace, input
 * ProgramSender -> Credits -> postProgram ... program -> ProgramStore -> CreditBatch -> postProgramCredit
 * }</pre>
 */
package tutti.daemon.protocol;
