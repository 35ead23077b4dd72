/**
 * The transport SPI: links between nodes that carry frames in order, and what a transport must guarantee.
 *
 * <pre>{@code
 * connecting node:  Transport.connect(address, Hello, LinkHandler) -> Link.trySend(frame)
 * listening node:   Transport.listen(address, LinkAcceptor)        -> Listener
 *                   LinkAcceptor.accept(Link, Hello)               -> LinkHandler: frame, writable, closed
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.transport;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
