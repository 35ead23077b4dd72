/**
 * Windows: memory of ranks that other ranks access without their part.
 *
 * <pre>{@code
 * Window                            the calls of a rank
 *   -> WindowFactory                creates windows together with all ranks
 *      -> HostMemory                words and memory that JVMs of a host map
 *      -> WindowKeys                the keys by which transports access memory
 *   -> WindowEpochs                 which targets the rank may access now, and what ends that
 *   -> WindowTarget -> LocalAccess -> WindowMemory       memory that this JVM has, or maps: accessed at once
 *                   -> RemoteAccess -> WindowTransfer    memory of another node that the transport accesses
 *                                   -> AccessOperation   memory that another node accesses for this one
 *                                   -> JoinedAccess      the same for short accesses in a row
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.window;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
