/** What an author of a module tests it with: proofs of plans without running them, their cost, and mistakes that must be noticed. */
@Export
@Version("0.1.0")
package tutti.coll.tck;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
