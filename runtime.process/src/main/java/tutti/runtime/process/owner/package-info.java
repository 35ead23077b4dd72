/**
 * Interface between a rank and its owner: the program, its input and output, callbacks at its start and end, and its outcome.
 *
 * <pre>{@code
 * owner -> RankProgram, RankInput, RankClasses
 * owner <- RankHooks, RankOutput, RankOutcome;  JobEndedError unwinds the threads of a rank that was ended
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.process.owner;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
