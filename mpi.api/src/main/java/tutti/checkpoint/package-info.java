/**
 * Checkpoints for programs: which state a program saves, and the points at which it may be saved.
 *
 * <pre>{@code
 *   Checkpoint.of(MPI.COMM_WORLD) --> array, buffer, value, state, comm, group, type, attribute
 *   Checkpoint.here(MPI.COMM_WORLD)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.checkpoint;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
