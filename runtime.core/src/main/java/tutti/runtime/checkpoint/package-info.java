/**
 * Checkpoints of a job: what a rank saves, and the steps in which all ranks save their states at one point of the program.
 *
 * <pre>{@code
 *   RankCheckpoints.here --> PointAgreement (is it this point?) --> Quiescence (no message under way) --> modules' checkpoint()
 *                        --> MemoryCheckpoints.save, or CheckpointStorage.write, complete, removeOlder --> modules' resume()
 *   RankCheckpoints.restore --> MemoryCheckpoints.find, restore, or CheckpointStorage.held, stored
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.checkpoint;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
