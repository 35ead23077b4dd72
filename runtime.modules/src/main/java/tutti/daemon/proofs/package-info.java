/** Proofs of the plans that jobs use, on one node: each call is proved once for all jobs. A module whose plan is wrong goes into quarantine. */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.proofs;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
