/** Jobs on one node, as the daemon sees them. */
@Export
@Version("0.1.0")
package tutti.runtime.job;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
