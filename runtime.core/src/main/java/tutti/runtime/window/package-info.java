/**
 * Windows: memory of ranks that other ranks access without their part.
 *
 * <pre>{@code
 * Window -> Epochs                  which accesses the rank may make now, and what ends them
 *        -> WindowTarget -> WindowPart          of a rank of this JVM: accessed at once
 *                        -> AccessOperation -> PeerNode     of a rank of another node
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.window;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
