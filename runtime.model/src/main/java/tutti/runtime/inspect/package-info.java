/**
 * What the ranks of a job do at a moment, for those who ask why it does not go on.
 *
 * <pre>{@code
 *   LocalJob.inspect --> RankState: PendingWait (what it waits for), UnreceivedMessage, CommCalls (how far its collectives are)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.inspect;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
