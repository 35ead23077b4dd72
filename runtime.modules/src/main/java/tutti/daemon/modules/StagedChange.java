package tutti.daemon.modules;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Prepared change, on this node.
 *
 * @param change          what the coordinator learns of it
 * @param started         bundle of the module that is installed; null when nothing was installed
 * @param file            its file; null when nothing was installed
 * @param liftsQuarantine whether the change lifts the quarantine of the module
 */
record StagedChange(PreparedChange change, StoreBundles.@Nullable Started started, @Nullable Path file, boolean liftsQuarantine) {}
