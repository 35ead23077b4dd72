package tutti.daemon.modules;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Prepared change, on this node.
 *
 * @param change          what the coordinator learns of it
 * @param started         bundle of the module that is installed; null when nothing was installed
 * @param file            its file; null when nothing was installed
 * @param quarantine      what the change does to the quarantine of the module
 */
record StagedChange(PreparedChange change, StoreBundles.@Nullable Started started, @Nullable Path file, QuarantineStep quarantine) {
    /** What a change does to the quarantine of a module. */
    enum QuarantineStep {
        /** Nothing. */
        NONE,
        /** Lifts it when the change is committed. */
        LIFT,
        /** Puts the module in quarantine when the change is prepared, for a trial; lifts it when the change is undone. */
        TRY
    }
}
