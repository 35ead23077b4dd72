/** A program and the ranks that run it: class paths, class loaders, streams, exits. */
@Export
@Version("0.1.0")
package tutti.runtime.process;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
