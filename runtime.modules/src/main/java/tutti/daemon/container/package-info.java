/**
 * JVMs that a node starts with bundles of its own: for the proof of a module, and for the ranks of jobs.
 *
 * <pre>{@code
 * ContainerCommand -> command line with the class path, and BundleSource of each bundle -> ContainerMain -> ContainerProgram in the other JVM
 * PrintedLines -> what such a JVM prints, for the log
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.container;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
