/**
 * Listings of a cluster's state, which commands print and the console of a container shows.
 *
 * <pre>{@code
 * NodeReports -> ClusterListing -> TextTable, NodeInfoRow, ModuleRow
 * ClusterHealth -> Diagnosis
 * HeldCheckpoints of all nodes -> CheckpointRow -> ClusterListing -> TextTable
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.listing;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
