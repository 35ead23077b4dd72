/**
 * Waits for what lives. Processes answer late on a busy machine, or not at all while they are stopped: the kernels of their hosts answer for them.
 *
 * <pre>{@code
 * wait loop -> LiveWait (says what it waits for, asks whether it lives) -> PeerLifeline (a TCP connection to the other process)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.liveness;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
