/** Requests: what is under way, and how a thread waits for it. */
@Export
@Version("0.1.0")
package tutti.runtime.request;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
