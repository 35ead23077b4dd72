/**
 * Where the checkpoints of a job's ranks are kept: the runtime writes and reads named bytes, and the daemon keeps them on disks of several nodes.
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.checkpoint.store;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
