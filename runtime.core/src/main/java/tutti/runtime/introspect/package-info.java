/** What the runtime says of itself to those who look: plans of collectives, traces of runs, figures of caches. Values only. */
@Export
@Version("0.1.0")
package tutti.runtime.introspect;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
