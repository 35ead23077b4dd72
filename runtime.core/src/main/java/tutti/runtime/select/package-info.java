/** Which modules a job uses: what a node offers, what the nodes of a job agree on, and what serves each operation of a communicator. */
@Export
@Version("0.1.0")
package tutti.runtime.select;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
