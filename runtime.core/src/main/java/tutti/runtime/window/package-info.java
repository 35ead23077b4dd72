/**
 * Windows: memory of ranks that other ranks access without their part.
 *
 * <pre>{@code
 * Window                            the calls of a rank
 *   -> WindowFactory                creates windows together with all ranks
 *   -> WindowEpochs                 which targets the rank may access now, and what ends that
 *   -> WindowTarget -> WindowPart                     of a rank of this JVM: accessed at once
 *                   -> WindowTransfer -> PeerNode     of a rank of another node whose memory the transport accesses
 *                   -> AccessOperation -> PeerNode    of a rank of another node
 *   -> WindowKeys                   the keys by which transports access memory
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.window;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
