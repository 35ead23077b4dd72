/**
 * Findings of nodes about themselves, for {@code tutti doctor} and health checks.
 *
 * <pre>{@code
 * MachineExamination -> NodeHealth -> ClusterHealth
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.health;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
