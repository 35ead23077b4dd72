/** The transport SPI: links between nodes that carry frames in order, and the little that a transport must promise. */
@Export
@Version("0.1.0")
package tutti.runtime.transport;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
