/**
 * What all parts of the control protocol share: its constants, the first frames of links, and values that several interfaces use.
 *
 * <pre>{@code
 * ClientHello, NodeHello: first frame of a link
 * record -> MessageCodec -> JSON;  ModuleChange, ProgramFile, Reply;  TraceCodec, TracePieces: traces as bytes
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.protocol;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
