/**
 * Messages about jobs between commands, daemons and job JVMs, and what all parts of the control protocol share.
 *
 * <pre>{@code
 * ClientHello, NodeHello: first frame of a link
 * Message -> MessageCodec -> JSON;  ModuleChange, ProgramFile: parts of messages;  TraceCodec: traces as bytes
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.protocol;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
