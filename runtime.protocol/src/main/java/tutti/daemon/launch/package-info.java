/**
 * Jobs between a command and the node that coordinates them: two interfaces that the ends of a link serve each other.
 *
 * <pre>{@code
 * command  JobLauncher.run(RunRequest, files) -> node;  JobEnd <-
 * node     JobClient.accepted, placed(RankPlacement), output(OutputPiece ...), input -> command
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.launch;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
