package tutti.daemon.modules;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.ModuleId;

/**
 * Prepared change, on this node.
 *
 * @param id              module that is installed; null when modules are removed
 * @param started         its bundle; null when nothing was installed
 * @param file            its file; null when nothing was installed
 * @param replaced        modules that the change removes at its end
 * @param liftsQuarantine whether the change lifts the quarantine of the module
 * @param unproved        why the module was verified in this JVM and not in a process of its own; null when it was not
 */
record StagedChange(@Nullable ModuleId id, StoreBundles.@Nullable Started started, @Nullable Path file, List<ModuleId> replaced,
    boolean liftsQuarantine, @Nullable String unproved) {
    StagedChange {
        replaced = List.copyOf(replaced);
    }
}
