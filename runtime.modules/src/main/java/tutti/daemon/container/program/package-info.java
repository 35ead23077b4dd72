/**
 * Programs of the JVMs that a node starts. The system bundle of their frameworks exports this package, so that the main class, which is loaded from
 * the class path, and the bundles have the same interface.
 */
@Export
@Version(ContainerProgram.VERSION)
@NullMarked
package tutti.daemon.container.program;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
