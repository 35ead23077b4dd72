/**
 * What users type: programs as the {@code java} command takes them, and names that were misspelt.
 *
 * <pre>{@code
 * words of java -> JavaCommandLine -> ProgramJars (SourceCompiler, ScriptDirectives) -> jars, main class and options
 * a name that nothing has -> SimilarNames -> what was probably meant
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.command;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
