/** Errors that MPI knows: an error class and a text. */
@Export
@Version("0.1.0")
package tutti.runtime.error;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
